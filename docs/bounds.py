#!/usr/bin/env python3
"""Writes docs/bounds.md: every bound in the sources, with the comment that says what happens there.

Usage: bounds.py [--check]

A bound is a constant or setting whose name ends in Max or Ceiling and that has a comment. With --check nothing is
written, and the status is 1 if the page differs from the sources.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/bounds.md"
# Modules that serve tests alone.
LEFT_OUT = {"TidemarkFaultDisk", "TidemarkReferenceModel", "TidemarkSimulation", "TidemarkTesting"}
BOUND = re.compile(
    r"^ *(?:public |package |private |internal |fileprivate )?(?:static )?(?:let|var) "
    r"(?P<name>\w*(?:Max|Ceiling))\b(?:: *[\w.<>?]+)? *= *(?P<value>[^/{]+?) *(?://.*)?$")
TYPE = re.compile(
    r"^( *)(?:@\w+ )*(?:public |package |private |fileprivate |internal )?(?:final |indirect )*"
    r"(?:struct|enum|class|actor|extension|protocol) ([\w.]+)")
HEAD = """# Bounds

Written from the comments of the sources by `make bounds-table`. What an input may be is in `Limits`; a program that
embeds the engine may change its settings. What has no constant of its own is in the
[architecture](architecture.md#bounds).
"""


def bounds(path):
    """Returns name, value and comment of each bound in a file."""
    comment, types = [], []
    for line in path.read_text().split("\n"):
        text = line.strip()
        if text.startswith("///"):
            comment.append(text[3:].strip())
            continue
        if match := TYPE.match(line):
            types = [entry for entry in types if entry[0] < len(match[1])] + [(len(match[1]), match[2])]
        elif (match := BOUND.match(line)) and comment:
            indent = len(line) - len(line.lstrip())
            names = [name for at, name in types if at < indent]
            yield ".".join(names + [match["name"]]), match["value"], said(comment)
        if not text.startswith("@"):
            comment = []


def said(comment):
    """Returns a comment as one line of Markdown, without its sources and parameters."""
    text = re.sub(r"\s+", " ", " ".join(comment))
    text = re.sub(r" *- (Source|Complexity|Parameters?|Returns|Throws)\b.*", "", text)
    text = re.sub(r"``([^`]+)``", lambda match: f"`{match[1].replace('/', '.')}`", text)
    return text.replace("|", "\\|").strip()


def page():
    parts = [HEAD]
    for folder in sorted((ROOT / "Sources").iterdir()):
        if folder.name in LEFT_OUT or not folder.is_dir():
            continue
        found = sorted({bound for path in folder.rglob("*.swift") for bound in bounds(path)})
        if not found:
            continue
        parts.append(f"\n## {folder.name}\n\n| bound | value | |\n|---|---|---|\n")
        parts += [f"| `{name}` | `{value}` | {comment} |\n" for name, value, comment in found]
    return "".join(parts)


def main():
    text = page()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/bounds.md is not what the sources say: run make bounds-table")
        return
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
