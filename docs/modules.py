#!/usr/bin/env python3
"""Writes the dependencies of each module into the table of docs/architecture.md.

Usage: swift package dump-package | docs/modules.py [--check]

The input is the package description. A row may have several targets. Arrows go up: a target depends only on targets in
its own row and in rows above. With --check nothing is written, and the status is 1 if the table differs, if a target is
missing, or if an arrow goes down.
"""
import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "architecture.md"


def short(name):
    """Returns the name of a module without the prefix that nearly all have."""
    return name.removeprefix("Tidemark") or name


def dependencies(package):
    """Returns the names that each target depends on: targets of the package, then other packages."""
    result = {}
    for target in package["targets"]:
        own, others = set(), set()
        for dependency in target["dependencies"]:
            for kind, value in dependency.items():
                if kind == "product":
                    others.add(value[1])
                else:
                    own.add(value[0])
        result[target["name"]] = (own, others)
    return result


def main():
    package = json.load(sys.stdin)
    known = dependencies(package)
    shipped = {target["name"] for target in package["targets"] if target["type"] not in ("test", "plugin")}
    lines, seen, down = PAGE.read_text().split("\n"), set(), []
    start = lines.index("| target | what it holds | depends on |")
    changed = list(lines)
    for index in range(start + 2, len(lines)):
        if not lines[index].startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", lines[index])
        targets = re.findall(r"`([^`]+)`", cells[1])
        seen.update(targets)
        for name in targets:
            down += [f"{name} -> {other}" for other in sorted(known.get(name, (set(),))[0] - seen)]
        own = set().union(*(known[name][0] for name in targets if name in known)) - set(targets)
        others = set().union(*(known[name][1] for name in targets if name in known))
        names = sorted(map(short, own)) + sorted(others)
        cells[3] = f" {', '.join(names) or '–'} "
        changed[index] = "|".join(cells)
    if down:
        sys.exit(f"docs/architecture.md: move these rows, or remove the dependencies: {', '.join(down)}")
    missing = sorted(shipped - seen)
    if missing:
        sys.exit(f"docs/architecture.md has no row for {', '.join(missing)}")
    if changed == lines:
        return
    if "--check" in sys.argv[1:]:
        differing = [new for old, new in zip(lines, changed) if old != new]
        sys.exit("run make module-table; rows that differ:\n" + "\n".join(differing))
    PAGE.write_text("\n".join(changed))


if __name__ == "__main__":
    main()
