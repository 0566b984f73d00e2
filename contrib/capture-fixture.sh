#!/bin/sh
# Copy what malitop reads of this machine's /proc and /sys to a directory that represents the machine in tests:
#
#   sh capture-fixture.sh tests/fixtures/BOARD          then use the machine, and capture a second state:
#   sh capture-fixture.sh tests/fixtures/BOARD/next
#
# Runs in the shells of Android (adb push, adb shell) and busybox. Copies no host name, serial number or address, and only the kinds of
# cores from /proc/cpuinfo. Processes are copied only with --processes, under other names and without their users.
# Check the result before you pass it on.

set -u
LC_ALL=C
export LC_ALL

processes=no
if [ "${1:-}" = "--processes" ]; then
	processes=yes
	shift
fi
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1#-}" != "$1" ]; then
	echo "usage: $0 [--processes] DIRECTORY [ROOT]" >&2
	exit 2
fi
out=$1
root=${2:-}

# Keep a file. Omit it if it cannot be read or is empty, as if the machine did not have it.
keep() {
	text=$(cat "$root/$1" 2>/dev/null) || return 0
	[ -n "$text" ] || return 0
	mkdir -p "$out/${1%/*}" && printf '%s\n' "$text" >"$out/$1"
}

# The same through a filter: keep_lines FILE PATTERN
keep_lines() {
	text=$(grep -E "$2" "$root/$1" 2>/dev/null) || return 0
	mkdir -p "$out/${1%/*}" && printf '%s\n' "$text" >"$out/$1"
}

# keep_in DIRECTORY NAME...: keep these files of a directory, which may be a link
keep_in() {
	dir=$1
	shift
	for name in "$@"; do
		[ -f "$root/$dir/$name" ] && keep "$dir/$name"
	done
	return 0
}

# each PATTERN NAME...: keep these files of each directory that matches
each() {
	pattern=$1
	shift
	for path in "$root"/$pattern; do
		[ -d "$path" ] && keep_in "${path#"$root"/}" "$@"
	done
	return 0
}

keep_lines proc/stat '^cpu'
keep proc/loadavg
keep_lines proc/meminfo '^(MemTotal|MemFree|MemAvailable|Buffers|Cached):'
keep proc/diskstats
# names such as wlx00c0caabcdef would tell an address
keep_lines proc/net/dev '^[[:space:]]*(eth|wlan|end|usb|br|bond|team|rmnet_ipa|rmnet_data|ccmni|wwan)[0-9]+:'
each 'sys/class/net/*[a-z_][0-9]' type ifindex iflink
# what tells a device from what lies on top of it: an empty file says that the link is there
for path in "$root"/sys/class/net/*[a-z_][0-9]/* "$root"/sys/block/*/device; do
	case ${path##*/} in
	device | master | bridge | lower_*) [ -e "$path" ] && path=$out/${path#"$root"/} && mkdir -p "${path%/*}" && : >"$path" ;;
	esac
done
keep_lines proc/cpuinfo '^(processor|CPU implementer|CPU part|model name)[[:space:]]*:|^$'
keep proc/sys/kernel/perf_event_paranoid

keep_in sys/devices/system/cpu present possible online
each 'sys/devices/system/cpu/cpu[0-9]*' cpu_capacity
each 'sys/devices/system/cpu/cpu[0-9]*/regs/identification' midr_el1
if [ -d "$root/sys/devices/system/cpu/cpufreq/policy0" ]; then
	each 'sys/devices/system/cpu/cpufreq/policy[0-9]*' related_cpus scaling_cur_freq cpuinfo_min_freq cpuinfo_max_freq \
		scaling_max_freq scaling_governor
else
	each 'sys/devices/system/cpu/cpu[0-9]*/cpufreq' related_cpus scaling_cur_freq cpuinfo_min_freq cpuinfo_max_freq \
		scaling_max_freq scaling_governor
fi
for pmu in 'armv[789]_*' cpu cpu_core cpu_atom cpu_lowpower; do
	each "sys/bus/event_source/devices/$pmu" type cpus
	for path in "$root"/sys/bus/event_source/devices/$pmu/format/* "$root"/sys/bus/event_source/devices/$pmu/events/*; do
		[ -f "$path" ] && keep "${path#"$root"/}"
	done
done
each 'sys/class/thermal/thermal_zone[0-9]*' type temp
each 'sys/class/thermal/cooling_device[0-9]*' type cur_state max_state
keep sys/devices/platform/soc/soc:firmware/get_throttled
for path in "$root"/sys/class/hwmon/hwmon[0-9]*/*; do
	case ${path##*/} in
	name | energy[0-9]*_* | power[0-9]*_* | in[0-9]*_* | curr[0-9]*_*) keep "${path#"$root"/}" ;;
	esac
done
each 'sys/class/powercap/*' name energy_uj max_energy_range_uj
each 'sys/class/power_supply/*' type scope status power_now voltage_now current_now
for gpu in '*gpu*' '*.mali' '*g3d'; do
	each "sys/class/devfreq/$gpu" cur_freq min_freq max_freq available_frequencies load
	each "sys/class/devfreq/$gpu/device/power" runtime_status
done

# Files of a Mali driver and its vendors. Only the total of a memory table, because its lines name processes.
each 'sys/class/misc/mali[0-9]*/device' utilization clock cur_freq available_frequencies total_gpu_mem
each 'sys/class/misc/mali[0-9]*/device/power' runtime_status
each 'sys/class/misc/mali[0-9]*/device/devfreq/*' name governor
each 'sys/kernel/debug/mali[0-9]*' dvfs_utilization
for path in "$root"/sys/class/misc/mali[0-9]*/device/gpu_memory "$root"/sys/kernel/debug/mali[0-9]*/gpu_memory; do
	[ -f "$path" ] && keep_lines "${path#"$root"/}" '^(mali|-|kctx[[:space:]])'
done
keep_in sys/class/mpgpu cur_freq max_freq utilization
keep_in sys/kernel/ged/hal gpu_utilization current_freqency
keep_in sys/kernel/gpu gpu_busy gpu_clock

# keep_stat FILE NUMBER WORD: the first 24 fields of a process or a thread, which is called WORD-NUMBER; as long as before where the
# kernel may have cut its name. Those of the kernel keep theirs. Leaves the old name in $name and the new one in $alias.
keep_stat() {
	text=$(tr '\n' ' ' <"$root/$1") 2>/dev/null || return 1
	name=${text#*(}
	name=${name%)*}
	alias=$3-$2
	[ ${#name} -ge 15 ] && alias=$(printf '%s-%0*d' "$3" $((14 - ${#3})) "$2")
	set -- "$1" "$2" ${text##*)}
	[ $# -ge 24 ] || return 1
	[ $(($9 / 2097152 % 2)) = 1 ] && alias=$name # PF_KTHREAD
	mkdir -p "$out/${1%/*}" || return 1
	file=$1
	number=$2
	shift 2
	echo "$number ($alias) $(echo "$*" | cut -d ' ' -f 1-22)" >"$out/$file"
}

if [ $processes = yes ]; then
	for path in "$root"/proc/[0-9]*; do
		pid=${path##*/}
		keep_stat "proc/$pid/stat" "$pid" process || continue
		if [ ${#name} -ge 15 ] && [ "$alias" != "$name" ] && tr '\0' '\n' <"$path/cmdline" | grep -qF -e "$name"; then
			printf '/bin/%s-and-more\000' "$alias" >"$out/proc/$pid/cmdline"
		fi
		set -- "$path"/task/[0-9]*
		[ $# -gt 1 ] || continue
		for task; do
			keep_stat "proc/$pid/task/${task##*/}/stat" "${task##*/}" thread
		done
	done 2>/dev/null
	each 'sys/class/misc/mali[0-9]*/device/kprcs/[0-9]*' total_gpu_mem
	for path in "$root"/sys/class/misc/mali[0-9]*/device/gpu_memory "$root"/sys/kernel/debug/mali[0-9]*/gpu_memory; do
		[ -f "$out/${path#"$root"/}" ] && sed -E 's/[0-9a-f]{16}/00000000a0c016f1/' "$path" >"$out/${path#"$root"/}"
	done
fi

# A load average ends with the pid of the newest process: replace it.
if [ -f "$out/proc/loadavg" ]; then
	read -r one five fifteen rest <"$out/proc/loadavg"
	echo "$one $five $fifteen 1/100 1000" >"$out/proc/loadavg"
fi
find "$out" -type f | sort
