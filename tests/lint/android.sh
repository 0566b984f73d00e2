#!/bin/sh
# The program calls no function that Android's C library lacks, except in `serve`, which a build for Android leaves out.
program=${MALITOP:-./malitop}
command -v nm >/dev/null || { echo "android.sh: skipped, there is no nm"; exit 77; }
lacking='pthread_cancel pthread_setcancelstate pthread_setcanceltype pthread_testcancel pthread_tryjoin_np pthread_timedjoin_np
versionsort strverscmp canonicalize_file_name euidaccess eaccess argp_parse on_exit shm_open mq_open wordexp rpmatch malloc_trim'
undefined=$(nm -D --undefined-only "$program" 2>/dev/null | sed 's/.* //; s/@.*//')
case $undefined in *__asan_init* | *__tsan_init* | *__ubsan_*) echo "android.sh: skipped, sanitizers call other functions"; exit 77 ;; esac
[ -n "$undefined" ] || { echo "android.sh: skipped, $program has no dynamic symbols"; exit 77; }
status=0
for name in $lacking; do
	printf '%s\n' "$undefined" | grep -qx -e "$name" -e "__${name}_chk" || continue
	echo "$program: android: calls $name, which Android lacks"
	status=1
done
exit $status
