#!/usr/bin/env python3
"""Writes a log that no recording would bring forth, byte by byte as doc/mlog-format.md says: the ends of every range, every kind of
note, changes of processes, and what only a later version will have.

    handmade.py FILE
"""

import ctypes
import struct
import sys

from reader import ALL_PROCESSES, DATA, HEAD, INDEX, LOSS, MARK, MASK, START, UNKNOWN, crc32c

ABOUT = """log
  program      handmade 1
  host         wo\u00df host
  kernel       Linux 6.1 aarch64
  monotonic    5000000000
  realtime     1700000000123456789
  frames       59.94 1920 1080
  scope        process 1234
  later        a field of a later version
    and its rows
source 0
  kind         gpu
  backend      kbase
  device       /dev/mali0
  title        Mali-G715 2 cores
  note         two  blanks, and a # that begins no comment
  product      Mali-G715
  period       1000000
  asked        1000000
  simulated
  top_hz       848000000.5
  cores        2 0x8000000000000001
  slices       2
  bus_bits     128
  block_values 128
  sums         3
  slots
    MaliGPUActiveCy delta all 0 1
    GPUClockCy steady all 0 0.001
    GPUPeak peak all 0 1
    MaliGPUActiveCy delta core 0 1
    MaliGPUActiveCy delta core 63 1
    MaliGPUActiveCy delta slice 1 4
later 0
  kind         a stanza of a later version
source 1
  # what is unknown is left out
  kind         perf
  backend      perf
  period       100000000
  asked        50000000
  sums         4
  slots
    PerfCycles delta all 0 1 1 2 3 Cortex-A76 x4
    PerfRunning delta all 0 1e-09
    PerfEnabled delta cpu 65535 1
    PerfCyclesRaw level cluster 1 1 1 2 0
source 2
  kind         cpu
  period       1000000
  asked        1000000
"""
LOW, HIGH = -(2**63), 2**63 - 1


# ---- bytes ----


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def signed(n):
    n = (n + 2**63 & MASK) - 2**63
    return varint((n << 1 ^ n >> 63) & MASK)


def column(numbers):
    return b"".join(signed(n - before) for n, before in zip(numbers, [0, *numbers]))


def text(s):
    return varint(len(s.encode())) + s.encode()


def section(kind, content):
    return varint(kind) + varint(len(content)) + content


def zstd(data):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    out = ctypes.create_string_buffer(len(data) + 1024)
    n = lib.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:n]


def block(kind, at, begin, end, raw, flags=0, coding=0):
    payload = zstd(raw) if coding else raw
    head = HEAD.pack(b"MLog", 1, kind, coding, flags, at, begin, end, len(payload), len(raw), crc32c(payload), 0)[:-4]
    return head + struct.pack("<I", crc32c(head)) + payload


# ---- sections; samples are (source, flags, lost, seq, begin, end, values) ----


def samples(rows, begin):
    out = varint(len(rows)) + b"".join(varint(row[0]) for row in rows)
    for source in sorted({row[0] for row in rows}):
        own = [row for row in rows if row[0] == source]
        for i in (1, 2, 3):
            out += column([row[i] for row in own])
        for row, before in zip(own, [begin] + [row[5] for row in own]):
            out += signed(row[4] - before)
        out += column([row[5] - row[4] for row in own])
        for values in zip(*[row[6] for row in own]):
            out += column(values)
    return section(1, out)


def note(kind, time, source, value, said, begin):
    return section(2, varint(kind) + signed(time - begin) + varint(source + 1) + signed(value) + text(said))


def processes(form, times, gone, rows, begin):
    out = varint(form) + signed(times[0] - begin) + signed(times[1] - begin) + varint(1234) + varint(5) + varint(1)
    out += varint(len(gone)) + column(gone) + varint(len(rows))
    for i in range(13):
        out += column([row[i] for row in rows])
    return section(3, out + b"".join(text(row[i]) for i in (13, 14) for row in rows))


def queues(*columns):
    return section(4, b"".join(column(list(map(bits, values))) for values in columns))


def lanes(*of_samples):
    places = [place for place, _ in of_samples]
    return section(5, varint(len(places)) + b"".join(
        varint(place - before) + varint(len(words)) + b"".join(map(varint, words))
        for (place, words), before in zip(of_samples, [0] + places)))


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def process(pid, parent, thread=0, percent=12.5, name="name", cpu_ns=0):
    return (pid, parent, thread, ord("R"), 1000, 0 if thread else 3, 99 + pid, cpu_ns, UNKNOWN if thread else 4096, UNKNOWN,
            bits(percent), bits(float("nan")), bits(1.25), name, "us\u00e9r")


# ---- the log ----


def data_blocks():
    """(begin, end, flags, payload), in the order of the file."""
    gpu = [(0, 0, 0, 0, 1000, 2000, (0, UNKNOWN, HIGH, 1, 2, 3)),
           (0, 8 | 32, 0, 1, 2000, 2500, (MASK - 1, 5, LOW & MASK, 7, 8, UNKNOWN)),
           (0, 1, 4, 6, 3000, 4000, (7, 1 << 63, MASK - 1, 1, 1, 1))]
    cpu = [(1, 16, 0, 41, 500, 2200, (10, 20, 30, MASK - 41)), (1, 2, 0, 42, 2200, 4200, (UNKNOWN,) * 4)]
    first = processes(0, (100, 100), [], [process(1, 0, name="init", percent=float("nan")), process(7, 1),
                                          process(7, 7, 1, name="main"), process(300, 7, 1, name="worker"),
                                          process(40, 1, name="", percent=3.4e38), process(2**31 - 1, 1)], 100)
    nan = float("nan")
    first += queues((nan, 40.0, nan, nan, 0.0, 3.4e38), (nan, 10.5, nan, nan, 300.0, nan))
    yield 100, 4200, LOSS | MARK | ALL_PROCESSES, (
        section(99, b"of a later version") + samples([cpu[0], gpu[0], gpu[1], cpu[1], gpu[2]], 100) + first
        + note(1, 2222, -1, 1, "", 100) + note(1, 2223, 0, 2, "here \u2713 | it is", 100))
    yield 4300, 1000004200, 0, (
        note(2, 4300, -1, 0, "the disk is slow", 4300) + note(3, 4301, -1, LOW, "", 4300) + note(4, 4302, 1, 0, "unplugged", 4300)
        + note(5, 4303, 1, 0, "", 4300) + note(200, 4304, -1, HIGH, "of a later version", 4300)
        + processes(1, (5000, 1000004200), [7, 40], [process(7, 1, name="grown", cpu_ns=2**40), process(8, 7),
                                                     process(9, 8, 1)], 4300))
    yield 6000, 1000004200, 0, section(99, b"") + section(99, b"twice") + samples(
        [(1, 4, 0, 43, 6000, 7000, (0, 0, 0, 0)), (2, 0, 0, 1, 6500, 7000, ()), (2, 0, 0, 2, 7000, 7001, ())], 6000) + lanes(
            (0, (1, 77, 1000, 500, 1, 2, 2, 1, 0, 20, 2 + 64 * 7, 20, MASK)), (2, (2, 1, 10, 10, 99)))
    yield 2000000001, 2000000001, 0, processes(1, (2000000000, 2000000001), [8], [], 2000000001)
    yield 2000000001, 2000000001, ALL_PROCESSES, processes(0, (2000000001, 2000000001), [], [process(5, 1)], 2000000001)


def main(path):
    out = block(START, 0, 0, 0, ABOUT.encode(), coding=1)
    blocks = []
    for i, (begin, end, flags, payload) in enumerate(data_blocks()):
        blocks.append((len(out), begin, end, flags))
        out += block(DATA, len(out), begin, end, payload, flags, coding=i % 2)
        out += block(77, len(out), begin, end, b"of a later version, with a false MLog in it", coding=0)
    places = blocks[::2]
    index = b"".join(map(varint, (1, len(blocks), 8, 4))) + signed(blocks[0][1]) + signed(blocks[-1][2]) + varint(2)
    index += varint(len(places))
    for i, (at, _, end, flags) in enumerate(places):
        before = places[i - 1] if i else (0, 0, 0)
        both = flags | (blocks[2 * i + 1][3] if 2 * i + 1 < len(blocks) else 0)
        index += varint(at - before[0]) + signed(end - before[2]) + varint(both)
    out += block(INDEX, len(out), blocks[0][1], blocks[-1][2], index + struct.pack("<Q", len(out)))
    with open(path, "wb") as file:
        file.write(out)


if __name__ == "__main__":
    main(sys.argv[1])
