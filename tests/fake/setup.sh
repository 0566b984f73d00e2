#!/bin/sh
# contrib/setup.sh in a tree with a fake configure: its jobs, its messages, and that failures are shown first.
setup=$(cd "${srcdir:-.}" && pwd)/contrib/setup.sh
[ -f "$setup" ] || { echo "setup.sh: skipped, a release has no contrib/setup.sh"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd -P)
unset MAKEFLAGS MFLAGS MAKELEVEL
failed=0

# check STATUS WHAT: report a failure
check()
{
	if [ "$1" -ne 0 ]; then
		echo "$2: $(cat "$work/out")"
		failed=1
	fi
}

# setup WANTED ARG...: run setup.sh and check its exit status; its output goes to $work/out
setup()
{
	wanted=$1
	shift
	sh tree/contrib/setup.sh "$@" >"$work/out" 2>&1 </dev/null
	got=$?
	[ $got -eq "$wanted" ]
	check $? "setup.sh $*: status $got, not $wanted"
}

# said WHAT PATTERN: a line of the output matches
said()
{
	grep -qE -- "$2" "$work/out"
	check $? "$1: no '$2' in"
}

cd "$work" || exit 2
mkdir -p tree/contrib bin
# A machine with fake packages: "without" lists modules, headers and programs that it lacks, and "version" has the one of its modules.
cat >bin/pkg-config <<END
#!/bin/sh
for word; do
	case \$word in -*) continue ;; esac
	grep -qx "\$word" "$work/without" && exit 1
done
[ "\$1" != --modversion ] || cat "$work/version"
END
cat >bin/gcc <<END
#!/bin/sh
header=\$(sed -n 's/#include <\(.*\)>/\1/p')
! grep -qx "\$header" "$work/without"
END
# What is installed is there from then on.
cat >bin/apt-get <<END
#!/bin/sh
[ "\$1" = install ] || exit 0
echo "\$*" >>"$work/installed"
: >"$work/without"
END
printf '#!/bin/sh\nshift\nfor p; do echo "Package: $p"; done\n' >bin/apt-cache
printf '#!/bin/sh\nwhile [ "$1" != true ] && [ "$1" != apt-get ]; do shift; done\n"$@"\n' >bin/sudo
chmod +x bin/*
: >without
echo 1.0 >version
PATH=$work/bin:$PATH
cp "$setup" tree/contrib/
touch tree/configure.ac tree/Makefile.am
cat >tree/configure <<'END'
#!/bin/sh
echo configured >>times
cat >Makefile <<MAKE
all:
	echo '\$(MAKEFLAGS)' >flags
	echo '#!/bin/sh' >malitop; echo 'echo started with "\$\$@"' >>malitop; chmod +x malitop
	if [ -e '$PWD/../../broken' ]; then \\
		echo 'a.c:1:1: error: it is broken'; echo 'FAIL: tests/one'; seq 200; exit 1; fi
static:
	mkdir -p static && echo 'static program' >static/malitop
install:
	mkdir -p '${1#--prefix=}/bin' && cp malitop '${1#--prefix=}/bin/'
MAKE
END
chmod +x tree/configure

setup 2
said "no command" '^usage: .*install \[PREFIX \| USER@HOST\]'
setup 2 install a b
setup 0 run --view cpu
said "run" "the program: $work/tree/build/run/malitop"
said "run" '^started with --demo --view cpu$'
grep -q -- "-j$(nproc)" tree/build/run/flags
check $? "run: not with a job per CPU, but $(cat tree/build/run/flags)"

setup 0 install 'a prefix'
said "install" "the program: $work/a prefix/bin/malitop"
said "install" "^== [0-9]+:[0-9][0-9]  .*is not in PATH"
[ -x 'a prefix/bin/malitop' ]
check $? "install: nothing is there"

# It brings what README promises: serve, the layers, names of C++ functions.
printf '%s\n' libmicrohttpd vulkan egl zlib.h libiberty/demangle.h >without
setup 0 install bare
for package in libmicrohttpd-dev zlib1g-dev libvulkan-dev libegl-dev libgles-dev libiberty-dev; do
	grep -qw -- "$package" installed
	check $? "install: did not install $package, but $(cat installed)"
done

# A build is configured again if its libraries changed, and only then.
configured()
{
	[ "$(wc -l <tree/build/install/times)" = "$1" ]
	check $? "$2: configured $(wc -l <tree/build/install/times) times, not $1"
}
rm -f tree/build/install/times
setup 0 install bare
setup 0 install bare
[ ! -e tree/build/install/times ]
check $? "the same libraries: configured again"
echo 1.1 >version
setup 0 install bare
configured 1 "another version"
setup 0 install bare
configured 1 "the same version"
printf '%s\n' libmicrohttpd >without
sed -i 's/^: .*/exit 1/' bin/apt-get # and it cannot be installed
setup 0 install bare
configured 2 "without a library"
said "without a library" "could not install everything"
: >without
setup 0 install bare
configured 3 "with that library again"

# Each step has a line when it begins, and one now and then while it runs.
for step in configure compile "install into"; do
	said "steps" "^== [0-9]+:[0-9][0-9]  $step"
done
sed -i 's/^all:$/&\n\tsleep 3/' tree/configure
echo 1.2 >version
MALITOP_PROGRESS_S=1 setup 0 install bare
said "progress" '^   [0-9]+:[0-9][0-9]  sleep 3'
sed -i '/sleep 3/d' tree/configure

# A board: fake ssh and scp; what is copied is the file that `make static` made.
cat >bin/ssh <<'END'
#!/bin/sh
[ "$*" = "me@${BOARD:-board} uname -m" ] && echo "${MACHINE:-$(uname -m)}"
END
printf '#!/bin/sh\n[ "$1" = -q ] && cp "$2" "%s/copied" && echo "$3" >"%s/copied.to"\n' "$work" "$work" >bin/scp
chmod +x bin/ssh bin/scp
setup 0 install me@board
said "board" 'start it with: ssh -t me@board ./malitop$'
[ "$(cat copied copied.to)" = "static program
me@board:malitop" ]
check $? "board: not the static program was copied, but $(cat copied copied.to)"
MACHINE=riscv64 setup 1 install me@board
said "another machine" 'no static build for riscv64: '
BOARD=other setup 1 install me@board
said "no ssh" '^setup.sh: me@board: ssh failed: '

touch tree/broken
setup 1 install other
grep -n . out | sed -n '/compile/,$p' | sed -n '2,3p' | grep -c -E 'FAIL: tests/one|error: it is broken' | grep -qx 2
check $? "a failure: what failed does not come first"
said "a failure" '^setup.sh: step failed after [0-9]+:[0-9][0-9]: compile'
exit $failed
