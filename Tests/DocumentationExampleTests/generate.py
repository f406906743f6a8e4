#!/usr/bin/env python3
"""Collects the examples of doc comments and of docs/doors.md, so that the tests compile them.

Usage: generate.py [--check]

Each block of Swift in a doc comment becomes the body of a function that has a cache. Each program of docs/doors.md
becomes a function that returns what it prints, with its database in a folder of the test. With --check nothing is
written, and the status is 1 if the files in Generated differ from the comments and the page.
"""
import re
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


def doors():
    """Returns the programs in Swift of docs/doors.md as functions that a test runs."""
    imports, functions = {"Foundation"}, []
    for part in re.split(r"^## ", (ROOT / "docs/doors.md").read_text(), flags=re.M)[1:]:
        heading = part.split("\n", 1)[0]
        for text in re.findall(r"^```swift\n(.*?)^```$", part, flags=re.M | re.S):
            lines = text.rstrip("\n").split("\n")
            imports |= {line.removeprefix("import ") for line in lines if line.startswith("import ")}
            body = "\n".join(line for line in lines if not line.startswith("import ")).strip("\n")
            # Databases are in the test's folder, and the server is one of the test.
            body = re.sub(r'path: "(\w+\.db)"', r'path: folder + "/\1"', body)
            body = body.replace('"https://example.com/graphql"', "url")
            name = "".join(word.capitalize() for word in heading.split())
            functions += ["", f"/// The program below {heading} in docs/doors.md. Returns the printed lines."]
            functions += [f"func door{name}(folder: String, url: String) async throws -> [String] {{"]
            functions += ["    var printed: [String] = []", "    func print(_ items: Any...) {"]
            functions += ['        printed.append(items.map { "\\($0)" }.joined(separator: " "))', "    }"]
            functions += [("    " + line).rstrip() for line in body.split("\n")] + ["    return printed", "}"]
    lines = ["// swift-format-ignore-file", "// Generated from docs/doors.md by make generate-doc-examples."]
    return "\n".join(lines + [f"import {name}" for name in sorted(imports)] + functions) + "\n"


def files():
    """Returns the text of each generated file by its name."""
    result = {"Doors.swift": doors()}
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
