#!/bin/sh
# hardening.sh: the binary has the hardening that configure chose ($HARDENING).
LC_ALL=C
export LC_ALL
malitop=${MALITOP:-./malitop}
command -v readelf >/dev/null || { echo "hardening.sh: skipped, there is no readelf"; exit 77; }
elf=$(mktemp) || exit 2
trap 'rm -f "$elf"' EXIT
readelf -W -h -l -d -s "$malitop" >"$elf" 2>/dev/null || { echo "hardening.sh: readelf cannot read $malitop"; exit 2; }
failed=0

# has PATTERN: whether a line of the binary's headers and symbols matches
has()
{
	grep -qE -- "$1" "$elf"
}

is_static()
{
	! has '^ *INTERP '
}

# All our objects are marked; the program is marked only if the C library's objects are marked as well.
is_branch_protected()
{
	for library in libmalitop.a; do
		[ "$(readelf -n "$library" 2>/dev/null | grep -cE 'feature: (IBT, SHSTK|BTI, PAC)')" -eq "$(ar t "$library" | grep -c '\.o$')" ] ||
			return 1
	done
}

# holds NAME: whether the binary has the hardening of that name
holds()
{
	case $1 in
	stack-protector) has '__stack_chk_(fail|guard)' ;;
	stack-clash) true ;; # cannot be seen in the binary
	pie) has '^ *Type: +DYN ' && { is_static || has 'FLAGS_1.* PIE'; } && ! has 'TEXTREL' ;;
	relro) has '^ *GNU_RELRO ' ;;
	now) is_static || has '(FLAGS).*BIND_NOW|FLAGS_1.* NOW' ;;
	noexecstack) has '^ *GNU_STACK .* RW +0x' ;;
	branch-protection) is_branch_protected ;;
	fortify) has ' __[a-z]+_chk(@|$)' ;;
	*) false ;;
	esac
}

for name in $HARDENING; do
	holds "$name" || { echo "hardening.sh: configure chose $name, but $malitop does not have it"; failed=1; }
done
# What all compilers and linkers of the last ten years support; gcc cannot make a PIE with -static, only with -static-pie.
is_static && always='stack-protector relro' || always='stack-protector pie relro now'
for name in $always; do
	case " $HARDENING " in
	*" $name "*) ;;
	*) holds "$name" || { echo "hardening.sh: without $name"; failed=1; } ;;
	esac
done
[ $failed = 0 ] && echo "hardening.sh: $HARDENING"
exit $failed
