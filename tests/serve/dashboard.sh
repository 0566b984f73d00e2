#!/bin/sh
# The dashboard is what Grafana 10 imports: its fields, panels that do not overlap, variables and data sources that are defined.
# (prometheus.sh runs its queries.)
board=${srcdir:-.}/contrib/grafana/malitop.json
command -v python3 >/dev/null || { echo "dashboard.sh: skipped, there is no python3"; exit 77; }
python3 -B - "$board" <<'END'
import json, re, sys

PANELS = {"row", "table", "timeseries", "heatmap", "stat", "gauge", "bargauge", "barchart", "histogram", "text"}
UNITS = {"short", "none", "percent", "percentunit", "hertz", "celsius", "Bps", "bytes", "s", "ms", "pps", "ops", "cps", "watt"}
TRANSFORMS = {"merge", "organize", "joinByField", "filterFieldsByName", "labelsToFields", "reduce", "seriesToColumns", "sortBy"}
BUILT_IN = {"__rate_interval", "__interval", "__range", "__all", "__from", "__to"}
failed = 0


def check(holds, what):
    global failed
    if not holds:
        print("dashboard.sh:", what)
        failed = 1


def tiles(panel):
    at = panel["gridPos"]
    return {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}


board = json.load(open(sys.argv[1]))
variables = {v["name"]: v for v in board["templating"]["list"]}
check("id" not in board, "an id belongs to one server: without it, it is a new dashboard")
check(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", board["uid"]) and board["title"], "uid or title")
check(36 <= board["schemaVersion"] <= 39, f"schemaVersion {board['schemaVersion']} is not that of Grafana 9.1 to 10.4")
check(variables["datasource"]["type"] == "datasource" and variables["datasource"]["query"] == "prometheus", "no choice of the source")

panels = board["panels"]
check(len({p["id"] for p in panels}) == len(panels), "ids are not unique")
taken = set()
for panel in panels:
    name = f"panel {panel['id']} {panel['title']}"
    mine = tiles(panel)
    check(panel["type"] in PANELS, f"{name}: type {panel['type']}")
    check(not mine & taken, f"{name}: overlaps another")
    check(mine and all(0 <= x < 24 for x, _ in mine), f"{name}: outside the 24 columns")
    taken |= mine
    if panel["type"] == "row":
        check(panel["gridPos"]["w"] == 24 and panel["gridPos"]["h"] == 1, f"{name}: size of a row")
        continue
    targets = panel["targets"]
    check(len({t["refId"] for t in targets}) == len(targets), f"{name}: refId is not unique")
    fields = panel["fieldConfig"]
    units = [fields["defaults"].get("unit", "none")] + [
        p["value"] for o in fields["overrides"] for p in o["properties"] if p["id"] == "unit"]
    check(set(units) <= UNITS, f"{name}: units {units}")
    check({t["id"] for t in panel.get("transformations", [])} <= TRANSFORMS, f"{name}: transformations")
    for it in [panel] + targets:
        check(it["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, f"{name}: datasource {it['datasource']}")
    for target in targets:
        used = set(re.findall(r"\$\{?(\w+)", target["expr"]))
        check(used <= BUILT_IN | set(variables), f"{name}: unknown variables in {target['expr']}")
        check(target["expr"].count("(") == target["expr"].count(")"), f"{name}: brackets in {target['expr']}")
print(f"{len(panels)} panels in {max(y for _, y in taken) + 1} rows")
sys.exit(failed)
END
