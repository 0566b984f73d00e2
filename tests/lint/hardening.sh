#!/bin/sh
# hardening.sh: the program and its libraries for other programs ($LAYERS) have the hardening that configure chose ($HARDENING).
LC_ALL=C
export LC_ALL
malitop=${MALITOP:-./malitop}
command -v readelf >/dev/null || { echo "hardening.sh: skipped, there is no readelf"; exit 77; }
elf=$(mktemp) || exit 2
trap 'rm -f "$elf"' EXIT
failed=0

# has PATTERN: whether a line of the binary's headers, symbols and notes matches
has()
{
	grep -qE -- "$1" "$elf"
}

is_static()
{
	! has '^ *INTERP ' && [ "$binary" = "$malitop" ]
}

# All our objects are marked; the program is marked only if the C library's objects are marked as well. A library is compiled at once,
# so one function shows what all have: a landing pad at its begin.
is_branch_protected()
{
	if [ "$binary" = "$malitop" ]; then
		[ "$(readelf -n libmalitop.a 2>/dev/null | grep -cE 'feature: (IBT, SHSTK|BTI, PAC)')" -eq "$(ar t libmalitop.a | grep -c '\.o$')" ]
	else
		function=$(sed -n 's/.* FUNC  *GLOBAL DEFAULT  *[0-9][0-9]* \(vkN[A-Za-z]*\|eglTerminate\)$/\1/p' "$elf" | sed -n 1p)
		objdump -d --disassemble="${function:-none}" "$binary" | grep -qE '[[:space:]](endbr(32|64)|bti|paciasp)'
	fi
}

# holds NAME: whether the binary has the hardening of that name
holds()
{
	case $1 in
	stack-protector) has '__stack_chk_(fail|guard)' ;;
	stack-clash) true ;; # cannot be seen in the binary
	pie) has '^ *Type: +DYN ' && { is_static || [ "$binary" != "$malitop" ] || has 'FLAGS_1.* PIE'; } && ! has 'TEXTREL' ;;
	relro) has '^ *GNU_RELRO ' ;;
	now) is_static || has '(FLAGS).*BIND_NOW|FLAGS_1.* NOW' ;;
	noexecstack) has '^ *GNU_STACK .* RW +0x' ;;
	branch-protection) is_branch_protected ;;
	shadow-stack) has 'x86 feature: .*SHSTK' ;;
	fortify) has ' __[a-z]+_chk(@|$)' ;;
	*) false ;;
	esac
}

# check_binary FILE
check_binary()
{
	binary=$1
	readelf -W -h -l -d -s -n "$binary" >"$elf" 2>/dev/null || { echo "hardening.sh: readelf cannot read $binary"; exit 2; }
	for name in $HARDENING; do
		# Fortified functions are of one C library, and a program may have another.
		[ "$binary" = "$malitop" ] || [ "$name" != fortify ] || continue
		holds "$name" || { echo "hardening.sh: configure chose $name, but $binary does not have it"; failed=1; }
	done
	# What all compilers and linkers of the last ten years support; gcc cannot make a PIE with -static, only with -static-pie.
	is_static && always='stack-protector relro' || always='stack-protector pie relro now'
	for name in $always; do
		case " $HARDENING " in
		*" $name "*) ;;
		*) holds "$name" || { echo "hardening.sh: $binary is without $name"; failed=1; } ;;
		esac
	done
}

for file in "$malitop" $LAYERS; do
	check_binary "$file"
done
[ $failed = 0 ] && echo "hardening.sh: $malitop $LAYERS: $HARDENING"
exit $failed
