#!/usr/bin/env python3
"""A reader of .mlog, written from doc/mlog-format.md and nothing else: what that page means, in a language that everybody reads.

    reader.py dump FILE     everything that stands in a log as lines of text
    reader.py check FILE    whether a log keeps what the format promises; prints what it does not

Only the standard library, and libzstd by ctypes. `data` is always the whole file as bytes; a Damaged is raised, and caught again by
`walk` and `Log`, where something is not as it should be.
"""

import collections
import ctypes
import re
import struct
import sys

MASK = 2**64 - 1
UNKNOWN = 2**64 - 1
HEAD = struct.Struct("<4sBBBBQqqIIII")
PAYLOAD_MAX = 16 << 20
DECODED_MAX = 64 << 20
MOMENT_MAX = 2**60
START, DATA, INDEX = 1, 2, 3
LOSS, MARK, ALL_PROCESSES = 1, 2, 4
GAP = 1
NOTES = {1: "mark", 2: "message", 3: "clock", 4: "away", 5: "back", 6: "lost", 7: "answer"}
PROCESSES_NS = 30 * 10**9

Head = collections.namedtuple("Head", "type coding flags at begin end size raw_size")
Sample = collections.namedtuple("Sample", "source flags lost seq begin end values lanes", defaults=((),))
Note = collections.namedtuple("Note", "kind time source value text")
Process = collections.namedtuple(
    "Process", "pid parent thread state uid threads start cpu_ns rss gpu cpu_percent gpu_percent ipc name user fragment vertex",
    defaults=(None, None))
ProcessList = collections.namedtuple("ProcessList", "complete begin end cost_ns hidden threads gone processes")
Block = collections.namedtuple("Block", "head samples notes processes")
Index = collections.namedtuple("Index", "blocks samples lost begin end stride places")


class Damaged(Exception):
    """What was read is not what the format says."""


def need(right, what):
    if not right:
        raise Damaged(what)


def signed64(n):
    n &= MASK
    return n - 2**64 if n >> 63 else n


# ---- numbers and texts ----


class Wire:
    """Takes numbers and texts off bytes, one behind the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        need(n <= self.left(), "it ends too early")
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self):
        n = shift = 0
        while True:
            need(self.at < len(self.data), "a number ends too early")
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        need(n <= MASK and shift <= 63, "a number has more than 64 bits")
        return n

    def zigzag(self):
        n = self.varint()
        return (n >> 1) ^ -(n & 1)

    def count(self):
        """So many things follow: each takes a byte at least, which bounds what is believed."""
        n = self.varint()
        need(n <= self.left(), "%d things cannot stand in %d bytes" % (n, self.left()))
        return n

    def column(self, n):
        """n differences, each to the number above, as the unsigned numbers."""
        numbers, last = [], 0
        for _ in range(n):
            last = (last + self.zigzag()) & MASK
            numbers.append(last)
        return numbers

    def text(self):
        try:
            text = self.take(self.varint()).decode()
        except UnicodeDecodeError:
            raise Damaged("a text is no UTF-8")
        need(not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in text), "a text has control characters")
        return text

    def end(self):
        need(not self.left(), "%d bytes are left over" % self.left())


# ---- blocks ----


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    crc, table = 0xFFFFFFFF, CRC_TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def zstd_decode(data, size):
    """One frame that becomes exactly `size` bytes."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(max(size, 1))
    need(zstd.ZSTD_decompress(out, size, data, len(data)) == size, "it cannot be decompressed to %d bytes" % size)
    return out.raw[:size]


def head_at(data, at):
    """The head that stands there, if one may be believed, and the CRC of its payload."""
    need(at + HEAD.size <= len(data), "the file ends inside a head")
    magic, version, kind, coding, flags, place, begin, end, size, raw_size, payload_crc, crc = HEAD.unpack_from(data, at)
    need(magic == b"MLog", "no head begins here")
    need(crc32c(data[at : at + HEAD.size - 4]) == crc, "the checksum of the head is wrong")
    need(version == 1, "its version is %d, not 1" % version)
    need(place == at, "the head belongs to byte %d" % place)
    need(max(size, raw_size) <= PAYLOAD_MAX, "the payload is larger than 16 MiB")
    need(0 <= begin <= end <= MOMENT_MAX, "it is from %d to %d" % (begin, end))
    return Head(kind, coding, flags, at, begin, end, size, raw_size), payload_crc


def payload_of(data, head, payload_crc):
    """The payload, decoded."""
    start = head.at + HEAD.size
    payload = data[start : start + head.size]
    need(crc32c(payload) == payload_crc, "the checksum of the payload is wrong")
    need(head.coding in (0, 1), "its coding is %d, which is unknown" % head.coding)
    if head.coding == 1:
        return zstd_decode(payload, head.raw_size)
    need(head.size == head.raw_size, "it is as it is, and has two lengths")
    return payload


def next_head(data, at):
    """Where the next right head stands; the end of the file if there is none."""
    while (at := data.find(b"MLog", at)) >= 0:
        try:
            head_at(data, at)
            return at
        except Damaged:
            at += 1
    return len(data)


def walk(data):
    """(head, payload, None) for every whole block; one of an unknown type is passed over, its payload is None. What is not whole comes
    as (None, (from, to), why); behind the last block it is what was cut off, else it is damage."""
    at = 0
    while at < len(data):
        end = None
        try:
            head, payload_crc = head_at(data, at)
            end = at + HEAD.size + head.size
            need(end <= len(data), "the file ends inside a payload")
            yield head, payload_of(data, head, payload_crc) if head.type in (START, DATA, INDEX) else None, None
        except Damaged as why:
            end = min(end, len(data)) if end else next_head(data, at + 1)
            yield None, (at, end), str(why)
        at = end


# ---- the start block ----


def log_fields(fields):
    """Texts, but these."""
    log = {"program": "", "host": "", "kernel": "", "scope": "", "frames": "0 0 0", **fields}
    for name in ("monotonic", "realtime"):
        need(name in log, "the log does not say `%s`" % name)
        log[name] = int(log[name])
    fps, width, height = log["frames"].split()
    log["frames"] = (float(fps), int(width), int(height))
    return log


def source_fields(fields, rows):
    source = {**{name: "" for name in ("kind", "backend", "device", "title", "driver", "note", "product")}, "cores": "0 0", **fields}
    for name in ("period", "asked"):
        need(name in source, "a source does not say `%s`" % name)
    source["slots"] = [slot_row(row) for row in rows]
    source.setdefault("sums", len(rows))
    for name in ("period", "asked", "sums", "slices", "bus_bits", "block_values"):
        source[name] = int(source.get(name, 0))
    source["simulated"] = "simulated" in source
    source["top_hz"] = float(source.get("top_hz", 0))
    cores, mask = source["cores"].split()
    source["cores"], source["core_mask"] = int(cores), int(mask, 0)
    need(source["sums"] <= len(rows), "a source has fewer slots than sums")
    return source


def slot_row(row):
    """One value of every sample."""
    words = re.split(" +", row, 8)
    need(len(words) == 5 or len(words) >= 8, "no slot: %s" % row)
    name, kind, instance, number, scale = words[:5]
    need(kind in ("delta", "steady", "level", "peak"), "no kind of slots: %s" % row)
    need(instance in ("all", "core", "slice", "cluster", "cpu"), "no instance: %s" % row)
    running, enabled, raw = (int(n) for n in words[5:8] or (0, 0, 0))
    return dict(name=name, kind=kind, instance=instance, number=int(number), scale=float(scale),
                running=running, enabled=enabled, raw=raw, title=words[8] if len(words) > 8 else "")


def about(payload):
    """What was measured: the fields of the log, and `sources`, in each of them `slots`."""
    stanzas, field = [], None
    try:
        for line in payload.decode().split("\n"):
            text = line.strip(" \r")
            indent = len(line) - len(line.lstrip(" "))
            if not text or text.startswith("#"):
                continue
            word, _, rest = text.partition(" ")
            if indent == 0:
                stanzas.append((text, {}, []))
            elif indent < 4:
                stanzas[-1][1][word] = rest.strip(" ")
                field = word
            elif field == "slots":
                stanzas[-1][2].append(text)
        stanzas = [stanza for stanza in stanzas if stanza[0].split(" ")[0] in ("log", "source")]
        need([name for name, _, _ in stanzas] == ["log"] + ["source %d" % n for n in range(len(stanzas) - 1)],
             "the start block is not one log and its sources")
        log = log_fields(stanzas[0][1])
        log["sources"] = [source_fields(fields, rows) for _, fields, rows in stanzas[1:]]
    except (UnicodeDecodeError, ValueError, IndexError) as why:
        raise Damaged("the start block: %s" % why)
    return log


# ---- data blocks ----


def value_column(wire, n, slot):
    """Levels are signed; what is unknown is None."""
    of = signed64 if slot["kind"] in ("level", "peak") else int
    return [None if number == UNKNOWN else of(number) for number in wire.column(n)]


def samples_of_source(wire, source, n, slots, block_begin):
    flags, lost, seq = wire.column(n), wire.column(n), wire.column(n)
    distances, durations = [wire.zigzag() for _ in range(n)], wire.column(n)
    values = zip(*[value_column(wire, n, slot) for slot in slots]) if slots else [()] * n
    before = block_begin
    for row in zip(flags, lost, seq, distances, durations, values):
        begin = signed64(before + row[3])
        before = signed64(begin + row[4])
        need(before >= begin, "a sample ends before it begins")
        yield Sample(source, row[0], row[1], row[2], begin, before, row[5])


def samples_section(wire, log, block_begin):
    """In the order in which they were taken."""
    order = [wire.varint() for _ in range(wire.count())]
    counts = collections.Counter(order)
    need(all(n < len(log["sources"]) for n in counts), "a sample of a source that there is not")
    need(sum(8 * (5 + len(log["sources"][source]["slots"])) * n for source, n in counts.items()) <= DECODED_MAX,
         "its samples take more than 64 MiB")
    of = {}
    for source in sorted(counts):
        of[source] = list(samples_of_source(wire, source, counts[source], log["sources"][source]["slots"], block_begin))
        of[source].reverse()
    wire.end()
    return [of[source].pop() for source in order]


def note_section(wire, log, block_begin):
    """None if it is of a later version."""
    kind, time, source, value = wire.varint(), signed64(block_begin + wire.zigzag()), wire.varint() - 1, wire.zigzag()
    if kind not in NOTES:
        return None
    need(source < len(log["sources"]), "a note about a source that there is not")
    note = Note(kind, time, source if source >= 0 else None, value, wire.text())
    need(len(note.text.encode()) <= 255, "a note has more than 255 bytes of text")
    wire.end()
    return note


def float_of(bits):
    """None where it is not a number."""
    value = struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]
    return value if value == value else None


def processes_section(wire, block_begin):
    form, begin, end = wire.varint(), signed64(block_begin + wire.zigzag()), signed64(block_begin + wire.zigzag())
    cost_ns, hidden, threads = wire.varint(), wire.varint(), wire.varint()
    need(form <= 1 and threads <= 1, "a list of processes of an unknown form")
    need(0 <= begin <= end, "the interval of its processes is from %d to %d" % (begin, end))
    gone = wire.column(wire.count())
    n = wire.count()
    numbers = [wire.column(n) for _ in range(13)]
    numbers[2] = [bool(number) for number in numbers[2]]
    numbers[3] = [chr(number) for number in numbers[3]]
    for i in (8, 9):
        numbers[i] = [None if number == UNKNOWN else number for number in numbers[i]]
    for i in (10, 11, 12):
        numbers[i] = [float_of(number) for number in numbers[i]]
    texts = [[wire.text() for _ in range(n)] for _ in range(2)]
    wire.end()
    return ProcessList(form == 0, begin, end, cost_ns, hidden, bool(threads), gone,
                       [Process(*row) for row in zip(*numbers, *texts)])


def queues_section(wire, changes):
    """The rows of the same block's list of processes, with the percent of each queue."""
    need(changes is not None, "queues without processes")
    fragment, vertex = [[float_of(number) for number in wire.column(len(changes.processes))] for _ in range(2)]
    wire.end()
    return changes._replace(processes=[p._replace(fragment=f, vertex=v) if f is not None and v is not None else p
                                       for p, f, v in zip(changes.processes, fragment, vertex)])


def lanes_section(wire, log, samples):
    """The samples, some of them with lanes."""
    samples, at, size = list(samples), 0, 0
    for i in range(wire.count()):
        step = wire.varint()
        need(step or not i, "lanes of a sample stand twice")
        at += step
        need(at < len(samples), "lanes of a sample that there is not")
        n = wire.count()
        need(n <= 65535, "a sample has more than 65535 words of lanes")
        size += 8 * (5 + len(samples[at].values) + n)
        need(size <= DECODED_MAX, "its samples with lanes take more than 64 MiB")
        samples[at] = samples[at]._replace(lanes=tuple(wire.varint() for _ in range(n)))
    wire.end()
    return samples


def apply_changes(before, changes):
    """The whole list, from the whole one before and what came now. Without one before (None), changes tell nothing."""
    if changes.complete:
        rows = {}
    elif before is None:
        return None
    else:
        gone = set(changes.gone)
        rows = {(p.pid, p.thread): p for p in before.processes if p.pid not in gone and not (p.thread and p.parent in gone)}
    rows.update({(p.pid, p.thread): p for p in changes.processes})
    in_order = sorted(rows.values(), key=lambda p: (p.parent, True, p.pid) if p.thread else (p.pid, False, p.pid))
    return changes._replace(complete=True, gone=[], processes=in_order)


def data_block(head, payload, log):
    """What stands in a data block; `processes` is the list as it stands there, to which apply_changes belongs."""
    wire, samples, notes, processes, seen = Wire(payload), [], [], None, set()
    while wire.left():
        kind = wire.varint()
        part = Wire(wire.take(wire.varint()))
        need(kind not in (1, 3, 4, 5) or kind not in seen, "section %d stands twice" % kind)
        seen.add(kind)
        if kind == 1:
            samples = samples_section(part, log, head.begin)
        elif kind == 2:
            notes.append(note_section(part, log, head.begin))
        elif kind == 3:
            processes = processes_section(part, head.begin)
        elif kind == 4:
            processes = queues_section(part, processes)
        elif kind == 5:
            samples = lanes_section(part, log, samples)
    block = Block(head, samples, [note for note in notes if note], processes)
    need(all(head.begin <= time <= head.end for time in moments(block)), "it tells of another time")
    return block


def moments(block):
    """That the head's begin and end are the first and the last of."""
    yield from (time for s in block.samples for time in (s.begin, s.end))
    yield from (note.time for note in block.notes)
    if block.processes:
        yield block.processes.end


# ---- the index block ----


def index_block(payload):
    """Places are (offset, end, flags)."""
    need(len(payload) >= 8, "the index is too short")
    wire = Wire(payload[:-8])
    need(wire.varint() == 1, "the index is of an unknown version")
    blocks, samples, lost = wire.varint(), wire.varint(), wire.varint()
    begin, end = wire.zigzag(), wire.zigzag()
    stride, places, at, place_end = wire.varint(), [], 0, 0
    for _ in range(wire.count()):
        at += wire.varint()
        place_end = signed64(place_end + wire.zigzag())
        places.append((at, place_end, wire.varint()))
    wire.end()
    return Index(blocks, samples, lost, begin, end, stride, places)


def index_at(data):
    """Where the last 8 bytes of the file say that the head of an index block stands; None if none stands there."""
    try:
        at = struct.unpack("<Q", data[-8:])[0]
        head, _ = head_at(data, at)
        return at if head.type == INDEX and at + HEAD.size + head.size == len(data) else None
    except (Damaged, struct.error):
        return None


# ---- a log ----


class Log:
    """`about` at once; `blocks` by going through the file. Damage is left out and written down: `damage` is (from, to, why), `cut`
    the number of bytes behind the last whole block, `ended` whether an index stands at the end, `whole` the end of that block."""

    def __init__(self, data):
        self.data, self.damage, self.cut, self.whole, self.ended = data, [], 0, 0, False
        head, payload, why = next(walk(data), (None, None, "it is empty"))
        need(head and head.type == START, "no start block: %s" % (why or "another one comes first"))
        self.about = about(payload)

    def blocks(self):
        """Every data block; its list of processes is complete, or None where none is known."""
        processes, behind = None, []
        for head, payload, why in walk(self.data):
            block = None
            try:
                if head and head.type == DATA:
                    block = data_block(head, payload, self.about)
            except Damaged as damaged:
                head, payload, why = None, (head.at, head.at + HEAD.size + head.size), str(damaged)
            if not head:
                behind.append((*payload, why))
                continue
            if behind:
                processes = None  # the block that was lost may have had changes
            self.damage, behind, self.whole = self.damage + behind, [], head.at + HEAD.size + head.size
            self.ended = head.type == INDEX
            if block:
                processes = apply_changes(processes, block.processes) if block.processes else processes
                yield block._replace(processes=processes if block.processes else None)
        self.cut = len(self.data) - self.whole


# ---- as text ----


def shown(value):
    """A dash is what is unknown."""
    return "-" if value is None else "%.9g" % value if isinstance(value, float) else "%d" % value


def dump_about(log, out):
    for name in ("program", "host", "kernel", "scope"):
        out.write("log %s %s\n" % (name, log[name]))
    out.write("log %d %d %.17g %d %d\n" % (log["monotonic"], log["realtime"], *log["frames"]))
    for n, source in enumerate(log["sources"]):
        for name in ("kind", "backend", "device", "title", "driver", "note", "product"):
            out.write("source %d %s %s\n" % (n, name, source[name]))
        out.write("source %d %d %d %d %.17g %d %#x %d %d %d %d\n" % (
            n, source["period"], source["asked"], source["simulated"], source["top_hz"], source["cores"], source["core_mask"],
            source["slices"], source["bus_bits"], source["block_values"], source["sums"]))
        for slot in source["slots"]:
            out.write("slot %d %s %s %s %d %.17g %d %d %d %s\n" % (
                n, slot["name"], slot["kind"], slot["instance"], slot["number"], slot["scale"], slot["running"], slot["enabled"],
                slot["raw"], slot["title"]))


def dump_processes(processes, out):
    out.write("processes %d %d %d %d %d %d\n" % (processes.begin, processes.end, processes.cost_ns, processes.hidden,
                                                  processes.threads, len(processes.processes)))
    for p in processes.processes:
        numbers = (p.pid, p.parent, p.thread, ord(p.state), p.uid, p.threads, p.start, p.cpu_ns, p.rss, p.gpu,
                   p.cpu_percent, p.gpu_percent, p.ipc, p.fragment, p.vertex)
        out.write("process %s %s|%s\n" % (" ".join(map(shown, numbers)), p.name, p.user))


def dump(data, out):
    """A sample is a line `source seq begin end flags lost value ...`; other lines begin with a word."""
    log = Log(data)
    dump_about(log.about, out)
    for block in log.blocks():
        out.write("block %d %d %d\n" % (block.head.begin, block.head.end, block.head.flags))
        for s in block.samples:
            lanes = " lanes " + " ".join(map(shown, s.lanes)) if s.lanes else ""
            out.write(" ".join(map(shown, (s.source, s.seq, s.begin, s.end, s.flags, s.lost, *s.values))) + lanes + "\n")
        for note in block.notes:
            out.write("note %d %d %s %d %s\n" % (note.kind, note.time, shown(note.source), note.value, note.text))
        if block.processes:
            dump_processes(block.processes, out)
    out.write("whole %d ended %d cut %d damaged %d\n" % (log.whole, log.ended, log.cut, sum(to - at for at, to, _ in log.damage)))


# ---- what the format promises ----


class Checker:
    """Goes through a log once and keeps what it found wrong."""

    def __init__(self, data):
        self.data, self.problems = data, []
        self.heads, self.n_samples, self.n_lost, self.last_end = [], 0, 0, None
        self.seq, self.complete = {}, None

    def expect(self, right, at, what):
        if not right:
            self.problems.append("byte %d: %s" % (at, what))

    def times(self, block):
        """The head's begin and end are the first and the last moment of what stands in the block."""
        head, times = block.head, list(moments(block))
        self.expect(times, head.at, "the block is empty")
        if times:
            self.expect(head.begin == min(times), head.at, "it begins at %d, the head says %d" % (min(times), head.begin))
            last = max(times + ([self.last_end] if self.last_end is not None else []))
            self.expect(head.end == last, head.at, "it ends at %d, the head says %d" % (last, head.end))

    def samples(self, block):
        """Counts go up; returns whether something was lost."""
        loss = False
        for s in block.samples:
            jump = s.seq - self.seq[s.source] - 1 if s.source in self.seq else s.lost
            self.expect(jump >= 0, block.head.at, "sample %d of source %d comes behind %d" % (
                s.seq, s.source, self.seq.get(s.source, 0)))
            self.seq[s.source] = s.seq
            self.n_lost += max(jump, 0)
            loss = loss or jump > 0 or s.lost > 0 or s.flags & GAP
        self.n_samples += len(block.samples)
        return loss

    def processes(self, block):
        lists, at = block.processes, block.head.at
        if not lists:
            return False
        if lists.complete:
            self.complete = block.head.end
        self.expect(self.complete is not None and block.head.end - self.complete <= PROCESSES_NS, at,
                    "no list of processes was complete in the last 30 s")
        self.expect(not (lists.complete and lists.gone), at, "processes are gone from a complete list")
        return lists.complete

    def data_block(self, head, payload, log):
        block = data_block(head, payload, log)
        self.times(block)
        lost = [note.value for note in block.notes if NOTES[note.kind] == "lost"]
        self.n_lost += sum(lost)
        flags = LOSS if self.samples(block) or lost else 0
        flags |= MARK if any(NOTES.get(note.kind) == "mark" for note in block.notes) else 0
        flags |= ALL_PROCESSES if self.processes(block) else 0
        self.expect(head.flags == flags, head.at, "its flags are %d, and should be %d" % (head.flags, flags))
        self.heads.append(head)

    def index_block(self, head, payload):
        self.expect(head.coding == 0, head.at, "the index is compressed")
        self.expect(index_at(self.data) == head.at, head.at, "the end of the file does not say where the index stands")
        index, n = index_block(payload), len(self.heads)
        stride = max(index.stride, 1)
        places = [(h.at, h.end, 0) for h in self.heads[::stride]]
        for i, place in enumerate(places):
            flags = 0
            for h in self.heads[i * stride : (i + 1) * stride]:
                flags |= h.flags
            places[i] = (*place[:2], flags)
        ends = (self.heads[0].begin, self.heads[-1].end) if n else (0, 0)
        self.expect(index == Index(n, self.n_samples, self.n_lost, *ends, stride, places), head.at,
                    "the index is not what the blocks say: %s" % str(index)[:200])

    def block(self, head, payload, log):
        self.expect(self.last_end is None or head.end >= self.last_end, head.at, "it ends before the block before it")
        self.expect((head.type == START) == (head.at == 0), head.at, "a start block stands at the start, and only there")
        self.expect(head.type == DATA or head.flags == 0, head.at, "flags are of data blocks")
        if head.type == DATA:
            self.data_block(head, payload, log)
        elif head.type == INDEX:
            self.expect(head.at + HEAD.size + head.size == len(self.data), head.at, "something stands behind the index")
            self.index_block(head, payload)
        elif head.type != START:
            payload_of(self.data, *head_at(self.data, head.at))
        self.last_end = head.end

    def run(self):
        log = Log(self.data).about
        for head, payload, why in walk(self.data):
            if not head:
                self.expect(False, payload[0], "%d bytes are left out: %s" % (payload[1] - payload[0], why))
                continue
            try:
                self.block(head, payload, log)
            except Damaged as damaged:
                self.expect(False, head.at, str(damaged))


def check(data, out):
    checker = Checker(data)
    checker.run()
    for problem in checker.problems:
        out.write("%s\n" % problem)
    if not checker.problems:
        out.write("%d blocks of data, %d samples, %d lost\n" % (len(checker.heads), checker.n_samples, checker.n_lost))
    return not checker.problems


def main(argv):
    if len(argv) != 3 or argv[1] not in ("dump", "check"):
        sys.stderr.write("usage: reader.py dump|check FILE\n")
        return 2
    with open(argv[2], "rb") as file:
        data = file.read()
    try:
        return 0 if {"dump": dump, "check": check}[argv[1]](data, sys.stdout) is not False else 1
    except Damaged as why:
        sys.stderr.write("reader.py: %s: %s\n" % (argv[2], why))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
