#!/usr/bin/env python3
"""Writes a page for each file of rules beside this script, with links to the tests.

Usage: generate.py [--check]

A file of rules has a rule on a line of its own, and below it, indented, the tests that fail when the rule is broken: a
test, a suite, or a transcript of Protocol/vectors/sessions; `swift:` and `command:` before a name sort them into two
columns. Everything else is copied. A name that does not exist, and a rule without tests, are errors. With --check
nothing is written, and the status is 1 if a page differs.
"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = re.compile(r"func `([^`]+)`|struct (\w+)")


def places():
    """Returns the file of each test, suite and transcript by its name."""
    found = {}
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        for match in NAME.finditer(path.read_text()):
            found.setdefault(match[1] or match[2], path)
    for path in sorted((ROOT / "Protocol/vectors/sessions").glob("*.ndjson")):
        found.setdefault(path.stem, path)
    return found


class RuleFile:
    """A file of rules, read into pieces: lines that are copied, and tables of rules."""

    def __init__(self, path):
        self.path = path
        self.tables = []
        self.pieces = []
        rows = None
        for line in path.read_text().split("\n"):
            if line.startswith("    "):
                self.rule_above(rows).append(line.strip())
            elif self.is_rule(line):
                if rows is None:
                    rows = []
                    self.pieces.append(rows)
                rows.append((line, []))
            else:
                rows = None
                self.pieces.append(line)

    def is_rule(self, line):
        # Rules begin below the first heading of a section; text above and tables are copied.
        in_section = any(isinstance(piece, list) or str(piece).startswith("## ") for piece in self.pieces)
        last = next((piece for piece in reversed(self.pieces) if piece != ""), "")
        return bool(line) and in_section and not line.startswith(("#", "|", "*")) and (
            isinstance(last, list) or last.startswith("## ")) and not last == "## Not covered"

    def rule_above(self, rows):
        if not rows:
            sys.exit(f"{self.path.name} has a test without a rule")
        return rows[-1][1]

    def page(self, places):
        lines = ["<!-- Written by Tests/Rules/generate.py -->"]
        for piece in self.pieces:
            lines += [piece] if isinstance(piece, str) else self.table(piece, places)
        return "\n".join(lines).rstrip() + "\n"

    def table(self, rows, places):
        has_sides = any(": " in name and name.split(": ")[0] in ("swift", "command") for _, names in rows for name in names)
        lines = ["| rule | in Swift | by the command |", "|---|---|---|"] if has_sides else ["| rule | tests |", "|---|---|"]
        for rule, names in rows:
            if not names:
                sys.exit(f"{self.path.name}: no test of «{rule}»")
            sides = {"swift": [], "command": []}
            for name in names:
                side, _, rest = name.partition(": ")
                side, name = (side, rest) if has_sides and side in sides else ("swift", name)
                sides[side].append(self.link(name, places))
            cells = [", ".join(sides["swift"])] + ([", ".join(sides["command"])] if has_sides else [])
            if not all(cells):
                sys.exit(f"{self.path.name}: «{rule}» lacks tests in Swift or by the command")
            lines.append(f"| {rule} | {' | '.join(cells)} |")
        return lines

    def link(self, name, places):
        if name.startswith("make "):
            return f"`{name}`"
        if name not in places:
            sys.exit(f"{self.path.name} names «{name}», which is not there")
        path = places[name].relative_to(ROOT).as_posix()
        return f"[`{name}`](../../{path})"


def main():
    found = places()
    for path in sorted(HERE.glob("*.rules")):
        page, text = path.with_suffix(".md"), RuleFile(path).page(found)
        if "--check" in sys.argv[1:]:
            if not page.exists() or page.read_text() != text:
                sys.exit(f"{page.name} is not what its rules make: run Tests/Rules/generate.py")
        else:
            page.write_text(text)


if __name__ == "__main__":
    main()
