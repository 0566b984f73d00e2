#!/bin/sh
# format.sh: all C files are formatted as by clang-format 14 with .clang-format (make format does it).
#
# Another version formats differently, so without version 14 the test fails.
cd "${srcdir:-.}" || exit 2
for tool in clang-format-14 clang-format; do
	case $($tool --version 2>/dev/null) in
	*' version 14.'*)
		find src backends views layer tests -name '*.[ch]' -exec "$tool" --style=file --dry-run -Werror --ferror-limit=3 {} +
		exit
		;;
	esac
done
echo "format.sh: format: clang-format 14 is missing, and another version formats differently: install clang-format-14" >&2
exit 1
