#!/bin/sh
# The server of the program among clients that are slow, broken or hostile.
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "hostile.sh: skipped, built without serve"; exit 77; }
# Only what serves loads the library, and tells that it is missing. (Where it is linked the words are not there.)
if grep -q 'install libmicrohttpd' "$malitop"; then
	library=$(mktemp -d) || exit 2
	: >"$library/libmicrohttpd.so.12"
	LD_LIBRARY_PATH=$library "$malitop" list views >/dev/null || { echo "hostile.sh: without libmicrohttpd nothing works"; exit 1; }
	said=$(LD_LIBRARY_PATH=$library timeout 60 "$malitop" serve --demo --listen 127.0.0.1:0 2>&1)
	status=$?
	rm -r "$library"
	if ! echo "$said" | grep -q ': install libmicrohttpd$' || [ $status -ne 1 ]; then
		echo "hostile.sh: without libmicrohttpd: status $status: $said"
		exit 1
	fi
fi
command -v python3 >/dev/null || { echo "hostile.sh: skipped, there is no python3"; exit 77; }
unset XDG_CONFIG_HOME
HOME=/nonexistent exec python3 -B -W ignore "${srcdir:-.}/tests/serve/hostile.py" "$malitop"
