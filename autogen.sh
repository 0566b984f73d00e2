#!/bin/sh
# Make files.am, the lists of the build, from the tree, then configure. Needs autoconf, automake and pkg-config.
#
# A folder of a backend is its condition: backends/sim and tests/backends/sim are built WITH_SIM. What Makefile.am names is left to it,
# because it has another condition or belongs to another program.
set -e
cd "$(dirname "$0")"
LC_ALL=C
export LC_ALL
named=$(tr -s ' \t=:\\' '\n' <Makefile.am | grep /)

# list VARIABLE [SUFFIX]: add the paths of standard input that Makefile.am does not name, without the suffix.
list()
{
	sed "s/$2\$//" | sort | grep -vxF -e "$named" |
		awk -v name="$1" '{ printf NR == 1 ? name " += \\\n\t%s" : " \\\n\t%s", $0 } END { if (NR) print "" }'
}

{
	echo '# Written by autogen.sh from the tree: change the tree or Makefile.am, and run autogen.sh again.'
	find src/data -name '*.*' | list data_files
	find views/charts -name '*.chart' | list chart_files
	find layer -name 'vk*.[ch]' | list vk_sources
	find layer -name 'gles*.[ch]' | list gles_sources
	find tests/fake -name '*.[ch]' ! -name 'test_*' | list fake_sources
	find src views backends -name '*.[ch]' ! -path 'src/serve/*.c' ! -path 'backends/*/*' | list libmalitop_a_SOURCES
	for folder in backends/*/ src/serve/; do
		name=$(basename "$folder")
		code=$(find "$folder" -name '*.[ch]' | list libmalitop_a_SOURCES)
		tests=$(find tests/"${folder#src/}" -name 'test_*.c' 2>/dev/null | list unit_tests '\.c')
		case $name in
		cpu | drm | gpu | process) printf '%s\nif HAVE_CMOCKA\n%s\nendif\n' "$code" "$tests" ;;
		*)
			printf 'if WITH_%s\n%s\nif HAVE_CMOCKA\n%s\nendif\nendif\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$code" "$tests"
			;;
		esac
	done
	echo 'if HAVE_CMOCKA'
	find tests/support -name '*.[ch]' | list libtest_a_SOURCES
	find tests -name 'test_*.c' ! -path 'tests/backends/*' ! -path 'tests/serve/*' ! -path 'tests/layer/*' ! -path 'tests/workloads/*' |
		list unit_tests '\.c'
	printf 'endif\nif HAVE_VTERM\nif WITH_SIM\n'
	find tests/tui -name 'tui*.c' | list screen_tests '\.c'
	printf 'endif\nendif\n'
	find tests -name '*.sh' ! -path 'tests/support/*' ! -path 'tests/bench/*' ! -path 'tests/fuzz/[!r]*' ! -name run.sh ! -name 'no-*' | list scripts
	find doc -name '*.md' | named=/ list dist_doc_DATA
	find tests/fuzz -name 'fuzz_*.c' | list fuzz_targets '\.c'
	for target in tests/fuzz/fuzz_*.c; do
		name=$(basename "$target" .c)
		printf 'tests_fuzz_%s_SOURCES = %s $(fuzz_driver)\ntests_fuzz_%s_LDFLAGS = $(fuzz_ldflags)\n' "$name" "$target" "$name"
	done
	find doc layer src tests -type f -name '*.*' ! -name '*.[oa1-9]' ! -name '*.so' ! -name '*.json' ! -name '*.log' ! -name '*.trs' \
		! -path '*/.deps/*' ! -path '*/fixtures/*' ! -path '*/corpus/*' ! -path '*/golden/*' ! -path '*/reference/*' |
		named=/ list EXTRA_DIST
} >files.am
exec autoreconf -fi
