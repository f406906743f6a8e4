#!/usr/bin/env python3
"""Collects the examples of doc comments, so that the tests compile them.

Usage: generate.py [--check]

Each block of Swift in a doc comment becomes the body of a function that has a cache. With --check nothing is written,
and the status is 1 if the files in Generated differ from the comments.
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GENERATED = HERE / "Generated"
# Folders of modules, beside those of Sources.
SUPPORT = ["Tests/Support/TidemarkTestKit"]
# Modules whose types examples of a module use, beside the module itself, Tidemark and TidemarkModel.
IMPORTS = {
    "TidemarkEncryption": ["TidemarkSQLite"],
    "TidemarkSQLite": ["TidemarkEncryption"],
    "TidemarkGraphQL": ["TidemarkGraphQLTypes", "TidemarkHTTP"],
    "TidemarkHTTP": ["HTTPTypes"],
    "TidemarkScopeFeed": ["TidemarkHTTP", "TidemarkSQLite"],
    "TidemarkSession": ["TidemarkMessages"],
}


def blocks(path):
    """Returns the blocks of Swift in the doc comments of a file."""
    found, block = [], None
    for line in path.read_text().split("\n"):
        text = line.strip()
        if not text.startswith("///"):
            block = None
            continue
        text = text[3:].removeprefix(" ")
        if text.strip() == "```swift":
            block = []
        elif text.strip() == "```" and block is not None:
            found.append(block)
            block = None
        elif block is not None:
            block.append(text)
    return found


def files():
    """Returns the text of each generated file by its name."""
    result = {}
    folders = sorted(ROOT.glob("Sources/*")) + [ROOT / folder for folder in SUPPORT]
    for folder in folders:
        functions = []
        for path in sorted(folder.rglob("*.swift")):
            for block in blocks(path):
                functions.append((path.relative_to(ROOT).as_posix(), block))
        if not functions:
            continue
        imports = {"Foundation", "Tidemark", "TidemarkModel", folder.name, *IMPORTS.get(folder.name, [])}
        lines = ["// swift-format-ignore-file", "// Generated from doc comments by make generate-doc-examples."]
        lines += [f"import {name}" for name in sorted(imports)]
        for number, (path, block) in enumerate(functions, start=1):
            lines += ["", f"/// The example in {path}."]
            lines += [f"func example{folder.name}{number}(cache: SyncCache) async throws {{"]
            lines += [("    " + line).rstrip() for line in block] + ["}"]
        result[f"{folder.name}.swift"] = "\n".join(lines) + "\n"
    return result


def main():
    wanted = files()
    present = {path.name: path.read_text() for path in GENERATED.glob("*.swift")}
    if "--check" in sys.argv[1:]:
        differing = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
        if differing:
            sys.exit(f"{', '.join(differing)}: run make generate-doc-examples")
        return
    GENERATED.mkdir(exist_ok=True)
    for name in present.keys() - wanted.keys():
        (GENERATED / name).unlink()
    for name, text in wanted.items():
        (GENERATED / name).write_text(text)
    print(f"{sum(text.count('async throws {') for text in wanted.values())} examples in {len(wanted)} files")


if __name__ == "__main__":
    main()
