# shellcheck shell=sh
# seeds.sh, sourced: seeds TARGET prints the files that a fuzz target starts from, and that make check runs it over:
# its corpus (inputs that once failed, and small ones that reach far), then those shipped files that are of its kind.
seeds()
{
	name=${1##*/fuzz_}
	find "$srcdir/tests/fuzz/corpus/$name" -type f 2>/dev/null | sort
	case $name in
	stanza* | gpudb*) echo "$srcdir"/src/data/*.* "$srcdir"/views/charts/*.chart ;;
	replay* | stream*) find "$srcdir/tests/fuzz/corpus/mlog" -type f | sort ;;
	chart*) echo "$srcdir"/views/charts/*.chart ;;
	esac
}
