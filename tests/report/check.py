#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py FILE...: is a report what its ending says? Prints the number of sites, and of those that were transformed.

JSON: the members that docs/ptxccc.1 promises. SARIF: what version 2.1.0 requires of each object, and, where the package sarif_om is
there, no property that it does not have. LLVM remarks: what opt-viewer reads. HTML: well formed, and nothing from elsewhere."""
import html.parser
import json
import re
import sys
import urllib.parse


def need(condition, *what):
    if not condition:
        sys.exit(f"{sys.argv[0]}: " + " ".join(map(str, what)))


# ---- JSON --------------------------------------------------------------------------------------------------
def place(p):
    need(p is None or (isinstance(p["file"], str) and p["line"] > 0 and set(p) <= {"file", "line", "column"}), "place", p)


def check_site(s):
    for key in ("function", "loop", "path", "transformed"):
        need(key in s, "no", key, "in", s)
    place(s["loop"]), place(s["path"])
    if not s["transformed"]:
        need(s["reason"], "no reason", s)
        for note in s.get("notes", []):
            need(note["text"], note)
            place(note["at"])
    elif not s.get("branch"):
        for key in ("policy", "flow", "walk", "context_bytes", "uncompressed_bytes", "shared_bytes", "max_threads", "context"):
            need(key in s, "no", key, "in", s)
        for value in s["context"]:
            need(value["register"] and value["type"] and value["bytes"] >= 0, value)
            place(value.get("computed"))
    return s["transformed"]


def of_json(text):
    report = json.loads(text)
    units = report["units"] if "units" in report else [report]
    need(all(u["input"] for u in units), "input")
    return [check_site(s) for u in units for s in u["sites"]]


# ---- SARIF -------------------------------------------------------------------------------------------------
NAMES = {"runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor", "results": "Result",
         "message": "Message", "shortDescription": "MultiformatMessageString", "locations": "Location",
         "relatedLocations": "Location", "physicalLocation": "PhysicalLocation", "logicalLocations": "LogicalLocation",
         "artifactLocation": "ArtifactLocation", "region": "Region"}


def properties(name, value, om):
    """Every property is one of the class's."""
    for v in value if isinstance(value, list) else [value]:
        known = {re.sub("_(.)", lambda m: m[1].upper(), a.name) for a in getattr(om, NAMES[name]).__attrs_attrs__}
        need(set(v) <= known, "SARIF:", name, "has", set(v) - known)
        for key, inner in v.items():
            if key in NAMES:
                properties(key, inner, om)


def location(loc, bases):
    physical = loc.get("physicalLocation")
    if physical:
        where = physical["artifactLocation"]
        need(urllib.parse.quote(where["uri"], safe="/:._-~+,@=()!$&'*;%") == where["uri"], "SARIF: uri", where)
        need("uriBaseId" not in where or where["uriBaseId"] in bases, "SARIF: uriBaseId", where)
        need(physical["region"]["startLine"] >= 1, "SARIF: region", physical)
    for logical in loc.get("logicalLocations", []):
        need(logical["kind"] == "function" and logical["name"], "SARIF: logicalLocation", logical)


def result(r, rules, bases):
    need(r["ruleId"] in rules and r["message"]["text"], "SARIF: result", r)
    kind, level = r.get("kind", "fail"), r.get("level", "warning")
    need(level in ("none", "note", "warning", "error") and (kind == "fail" or level == "none"), "SARIF: level", r)
    for loc in r["locations"] + r.get("relatedLocations", []):
        location(loc, bases)
    need(check_site(r["properties"]) == (kind == "pass"), "SARIF: kind", r)
    return kind == "pass"


def of_sarif(text):
    log = json.loads(text)
    need(log["version"] == "2.1.0" and len(log["runs"]) == 1, "SARIF: version, runs")
    run = log["runs"][0]
    driver, bases = run["tool"]["driver"], run["originalUriBaseIds"]
    need(driver["name"] and all(b["uri"].endswith("/") for b in bases.values()), "SARIF: driver, originalUriBaseIds")
    rules = [rule["id"] for rule in driver["rules"]]
    need(len(set(rules)) == len(rules), "SARIF: rules")
    try:
        import sarif_om
        properties("runs", log["runs"], sarif_om)
    except ImportError:
        pass
    return [result(r, rules, bases) for r in run["results"]]


# ---- LLVM remarks ------------------------------------------------------------------------------------------
def of_remarks(text):
    import yaml
    loader = type("Loader", (yaml.SafeLoader,), {})
    for tag in ("Passed", "Missed", "Analysis"):
        loader.add_constructor("!" + tag, lambda l, node: dict(l.construct_mapping(node, deep=True), Tag=node.tag[1:]))
    done = []
    for d in yaml.load_all(text, loader):
        need(set(d) <= {"Tag", "Pass", "Name", "DebugLoc", "Function", "Args"} and d["Pass"] == "ccc" and d["Function"], "remark", d)
        for loc in [d.get("DebugLoc")] + [a.get("DebugLoc") for a in d["Args"]]:
            need(loc is None or (set(loc) == {"File", "Line", "Column"} and loc["Line"] > 0), "remark: DebugLoc", loc)
        for a in d["Args"]:
            values = [v for k, v in a.items() if k != "DebugLoc"]
            need(len(values) == 1 and isinstance(values[0], str), "remark: argument", a)
        if d["Tag"] != "Analysis":
            done.append(d["Tag"] == "Passed")
    return done


# ---- HTML --------------------------------------------------------------------------------------------------
class Page(html.parser.HTMLParser):
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.done = [], []

    def handle_starttag(self, tag, attrs):
        need(tag not in ("script", "link", "img", "iframe", "object"), "HTML:", tag)
        need(not any(k in ("src", "href") for k, _ in attrs), "HTML: from elsewhere", attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr" and dict(attrs).get("class", "").startswith("site "):
            self.done.append(dict(attrs)["class"] == "site done")

    def handle_endtag(self, tag):
        need(self.open and self.open.pop() == tag, "HTML: unexpected end of", tag, "at", self.getpos())


def of_html(text):
    page = Page()
    page.feed(text)
    need(not page.open and text.startswith("<!DOCTYPE html>") and "url(" not in text, "HTML: open", page.open)
    return page.done


for name in sys.argv[1:]:
    of = {"json": of_json, "sarif": of_sarif, "yaml": of_remarks, "html": of_html}[name.rsplit(".", 1)[1]]
    with open(name, encoding="utf-8") as f:
        sites = of(f.read())
    print(len(sites), sum(sites))
