#!/bin/sh
# A trace of the program as it is shipped, read by protoc: every packet is decoded without an unknown field, every event has its track, and
# counters have their names and units. PERFETTO_PROTO=FILE takes Perfetto's own definitions (perfetto_trace.proto) in place of ours.
malitop=${MALITOP:-./malitop}
proto=${srcdir:-.}/tests/export/trace.proto
message=Trace
if [ "${PERFETTO_PROTO-}" ]; then
	proto=$PERFETTO_PROTO
	message=perfetto.protos.Trace
fi
"$malitop" list backends | grep -q '^sim ' || { echo "decode.sh: skipped, built without the simulator"; exit 77; }
command -v protoc >/dev/null || { echo "decode.sh: skipped, there is no protoc"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

# check STATUS WHAT: tell what went wrong
check()
{
	if [ "$1" -ne 0 ]; then
		echo "$2"
		failed=1
	fi
}

# line PATTERN WHAT: there is one in the text of the trace
line()
{
	grep -q "$1" "$work/text"
	check $? "$2: not in the trace"
}

"$malitop" record --demo --gpu g715 --seed 1 --per-core -i 10ms -d 1500ms -o "$work/run.pftrace" >"$work/out" 2>"$work/errors"
check $? "record: $(cat "$work/errors")"
protoc --decode=$message -I"$(dirname "$proto")" "$proto" <"$work/run.pftrace" >"$work/text" 2>"$work/errors"
check $? "protoc: $(cat "$work/errors")"

! grep -nE '^ *[0-9]+(:| \{)' "$work/text"
check $? "there are fields that the definitions do not know, above"

line 'primary_trace_clock: BUILTIN_CLOCK_MONOTONIC' "the clock"
line '    name: "Mali-G715 .*(simulated)"' "the simulated GPU"
line '    name: "Marks"' "the track of marks"
line '    name: "Verdict"' "the track of the verdict"
line '    name: "Findings"' "the tracks of findings"

# has_verdict FILE: the track of the verdict has a slice that ends
has_verdict()
{
	awk '$1 == "uuid:" { uuid = $2 } /name: "Verdict"/ { verdict = uuid } $1 == "track_uuid:" && $2 == verdict { n++ }
		END { exit n < 2 }' "$1"
	check $? "the verdict has no slice in $1"
}

has_verdict "$work/text"
line '    name: "GPU clock"' "the clock of the GPU"
line '    name: "core3: ' "a core"
line '    name: "CPU: frames"' "the track of frames"
line '    name: "frame [0-9]' "a frame"
line '    name: "GPU: passes of even frames"' "a track of passes"
line '    name: "shadow map"' "a pass"
line 'unit_name: "Hz"' "hertz"
line 'unit_name: "cy/s"' "cycles per second"
line 'unit_name: "%"' "percent"

# Tracks before their events, parents that exist, counters with units and nothing else with a value, and slices that end.
awk '
	function complain(what) { print what " in packet " packets; bad = 1 }
	/^packet \{/ { packets++; uuid = parent = type = track = ""; value = 0; counter = 0 }
	$1 == "uuid:" { uuid = $2 }
	$1 == "parent_uuid:" { parent = $2 }
	$1 == "counter" { counter = 1 }
	$1 == "unit_name:" && $2 == "\"\"" { complain("no unit") }
	$1 == "type:" { type = $2 }
	$1 == "track_uuid:" { track = $2 }
	$1 == "double_counter_value:" { value = 1; if ($2 !~ /^-?[0-9]/) complain("value " $2) }
	/^}/ && uuid {
		if (uuid in tracks) complain("second track " uuid)
		if (parent && !(parent in tracks)) complain("no parent " parent)
		tracks[uuid] = 1 + counter
		counters += counter
	}
	$1 == "timestamp:" { at = $2 }
	$1 == "name:" { name = $0 }
	/^}/ && type == "TYPE_COUNTER" { first = !first || at < first ? at : first; last = at > last ? at : last }
	/^}/ && type == "TYPE_SLICE_BEGIN" && at < ended[track] { complain("slices overlap") }
	/^}/ && type == "TYPE_SLICE_END" { ended[track] = at }
	/^}/ && type == "TYPE_SLICE_BEGIN" && name ~ /"frame / { frames[n_frames++] = at }
	/^}/ && type {
		if (!(track in tracks)) complain("no track " track)
		if ((type == "TYPE_COUNTER") != (tracks[track] == 2) || (type == "TYPE_COUNTER") != value) complain(type " on " track)
		if (type == "TYPE_SLICE_BEGIN" && open[track]++ || type == "TYPE_SLICE_END" && --open[track]) complain("slices nest")
		n[type]++
	}
	END {
		for (track in open)
			if (open[track]) complain("open slice")
		if (n["TYPE_SLICE_BEGIN"] != n["TYPE_SLICE_END"] || n["TYPE_SLICE_BEGIN"] < 20) complain(n["TYPE_SLICE_BEGIN"] " intervals")
		for (i in frames)
			if (frames[i] < first - 100000000 || frames[i] > last + 100000000) complain("a frame on another clock")
		if (n_frames < 3) complain(n_frames + 0 " frames")
		if (counters < 100) complain(counters " counters")
		if (n["TYPE_COUNTER"] < 1000) complain(n["TYPE_COUNTER"] " values")
		exit bad
	}' "$work/text"
check $? "the trace does not hold together, above"

# Nothing but what was written: as many bytes come out of the text as went into it.
protoc --encode=$message -I"$(dirname "$proto")" "$proto" <"$work/text" 2>/dev/null | wc -c >"$work/again"
[ "$(cat "$work/again")" -eq "$(wc -c <"$work/run.pftrace")" ]
check $? "the trace has $(wc -c <"$work/run.pftrace") bytes, its text makes $(cat "$work/again")"

# A log that is exported has the verdict as well.
"$malitop" record --demo --gpu g715 --seed 1 -d 1500ms -o "$work/run.mlog" >"$work/out" 2>"$work/errors" &&
	"$malitop" export "$work/run.mlog" -o "$work/log.pftrace" 2>"$work/errors"
check $? "export: $(cat "$work/errors")"
protoc --decode=$message -I"$(dirname "$proto")" "$proto" <"$work/log.pftrace" >"$work/exported" 2>"$work/errors"
check $? "protoc: $(cat "$work/errors")"
has_verdict "$work/exported"
exit $failed
