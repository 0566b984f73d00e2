"""openmetrics.py FILE...: whether each file is OpenMetrics 1.0 to the letter, as far as malitop may break it: a family is in one piece, in
it all points of a series, with rising times; types, units and names agree; a histogram is complete; one # EOF, at the end."""
import re, sys

SUFFIXES = {"counter": "_total", "gauge": "", "info": "_info", "histogram": "_bucket"}
LINE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\["n\\])*",?)*)\})? (\S+)(?: (\d+\.\d+))?')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.seen, self.series, self.last, self.lines = name, None, None, set(), None, None, set()

    def metadata(self, kind, text):
        assert self.series is None, "metadata behind a sample"
        assert kind not in self.seen, f"a second {kind}"
        self.seen.add(kind)
        if kind == "TYPE":
            assert text in SUFFIXES, f"type {text}"
            self.type = text
        if kind == "UNIT":
            assert self.name.endswith("_" + text), f"unit {text}"

    def sample(self, name, labels, value, time):
        assert self.type, "a sample without a type"
        assert name == self.name + SUFFIXES[self.type], f"{name} in {self.name}, a {self.type}"
        assert len(dict(labels)) == len(labels), "a label twice"
        bound = dict(labels).get("le")
        series = tuple(sorted(pair for pair in labels if pair[0] != "le"))
        if series != self.series:
            assert series not in self.lines, "a series in two pieces"
            self.lines.add(series)
            self.end()
            self.series, self.last, self.bounds = series, None, []
        if self.type == "histogram":
            self.bucket(bound, value, time)
        else:
            assert bound is None, "le outside of a histogram"
            assert self.last is None or time and time > self.last, f"time {time} after {self.last}"
        if self.type != "gauge":
            assert value >= 0, f"{value} in a {self.type}"
        self.last = time

    def bucket(self, bound, value, time):
        if self.bounds and self.bounds[-1][0] == float("inf"):
            assert time and time > self.last, f"time {time} after {self.last}"
            self.bounds = []
        bound = float(bound.replace("+Inf", "inf"))
        assert not self.bounds or bound > self.bounds[-1][0] and value >= self.bounds[-1][1], f"bucket {bound} {value} after {self.bounds}"
        assert value.is_integer(), f"{value} in a bucket"
        self.bounds.append((bound, value))

    def end(self):
        assert self.type != "histogram" or self.series is None or self.bounds[-1][0] == float("inf"), "no +Inf"


def check(text):
    families, family, n = {}, Family(""), 0
    assert text.endswith("\n# EOF\n"), "it does not end with # EOF"
    for n, line in enumerate(text.splitlines()[:-1], 1):
        try:
            if line.startswith("#"):
                _, kind, name, words = line.split(" ", 3)
                assert kind in ("TYPE", "UNIT", "HELP"), kind
                if name != family.name:
                    assert name not in families, "a family in two pieces"
                    family.end()
                    family = families[name] = Family(name)
                family.metadata(kind, words)
            else:
                found = LINE.fullmatch(line)
                assert found, "not a sample"
                family.sample(found[1], LABEL.findall(found[2] or ""), float(found[3]), found[4] and float(found[4]))
        except AssertionError as error:
            raise AssertionError(f"line {n}: {error}: {line}") from None
    family.end()
    assert families, "no family"


if __name__ == "__main__":
    for path in sys.argv[1:]:
        try:
            check(open(path).read())
        except AssertionError as error:
            sys.exit(f"{path}: {error}")
