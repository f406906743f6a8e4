#!/usr/bin/env python3
"""Builds the documentation as plain files: all pages, and an index of the public declarations, with a search.

Usage: build.py FOLDER

Needs nothing but Python, and the site needs no server: open FOLDER/index.html. Every link, anchor and picture is checked
while it is built, every block of JSON is parsed, and every public declaration is checked to have a page; the first thing
that is wrong ends the build with 1 after all findings are printed.
"""
import json
import os
import re
import shutil
import sys
from html import escape
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import symbols  # noqa: E402
from markdown import Page, plain  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCE = "https://your.host/tidemark/blob/main/"
# The groups of the navigation: heading, and pages in their order.
GROUPS = [
    ("Decide and begin", ["README.md", "docs/why.md", "docs/concepts.md", "docs/doors.md", "docs/recipes.md",
                          "docs/moving.md", "docs/changelog.md"]),
    ("Guides", ["docs/live-views.md", "docs/scopes.md", "docs/graphql-and-events.md", "docs/typed-operations.md",
                "docs/operating.md", "docs/scaling.md", "Web/README.md", "Examples/README.md"]),
    ("Protocol", ["Protocol/README.md"]),
    ("Inside", ["docs/architecture.md", "docs/walk.md", "docs/benchmarks.md", "docs/testing.md"]),
]
# Folders whose other pages follow in the group of this name, and those that are left out of the navigation.
REST = [("Protocol", "Protocol"), ("Guides", "Sources/Tidemark/Tidemark.docc"), ("Inside", "docs")]
EXTRA = ["CONTRIBUTING.md", "SECURITY.md", "Web/client/README.md"]


class Site:
    """The pages of the site, and what is wrong with them."""

    def __init__(self, folder):
        self.folder = folder
        self.findings = []
        self.groups = {name: list(pages) for name, pages in GROUPS}
        listed = {page for _, pages in GROUPS for page in pages}
        for group, top in REST:
            for path in sorted((ROOT / top).rglob("*.md")):
                name = path.relative_to(ROOT).as_posix()
                if name not in listed:
                    listed.add(name)
                    self.groups[group].append(name)
        self.groups["Inside"] += EXTRA
        self.sources = [page for pages in self.groups.values() for page in pages]
        self.modules = symbols.modules(ROOT)
        self.anchors = {}
        self.links = []
        self.index = []
        self.copied = set()

    # Addresses

    @staticmethod
    def address(source):
        return "index.html" if source == "README.md" else re.sub(r"\.md$", "", source).replace("/", "-").lower() + ".html"

    def linker(self, source):
        """Returns the function that maps a link of a page to its address in the site."""
        top = Path(source).parent

        def link(target):
            if "://" in target or target.startswith("mailto:"):
                return target
            path, _, anchor = target.partition("#")
            if not path:
                self.links.append((source, self.address(source), anchor))
                return "#" + anchor
            found = os.path.normpath(top / path)
            if found in self.sources:
                self.links.append((source, self.address(found), anchor))
                return self.address(found) + ("#" + anchor if anchor else "")
            if not (ROOT / found).exists():
                self.findings.append(f"{source} links to {target}, which does not exist")
                return target
            if (ROOT / found).suffix in (".svg", ".png"):
                self.copied.add(found)
                return "files/" + found.replace("/", "-")
            return SOURCE + found

        return link

    # Building

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "files").mkdir(parents=True)
        for source in self.sources:
            self.page(source)
        for name, found in self.modules.items():
            self.module(name, found)
        self.write("symbols.html", "Declarations", "symbols.html", self.module_list())
        for name in self.copied:
            shutil.copy(ROOT / name, self.folder / "files" / name.replace("/", "-"))
        for name in ["style.css", "search.js"]:
            shutil.copy(HERE / name, self.folder / name)
        text = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.folder / "search-index.js").write_text(f"window.searchIndex = {text};\n")
        self.check_links()
        return self.findings

    def page(self, source):
        text = (ROOT / source).read_text()
        page = Page(text, self.linker(source))
        address = self.address(source)
        title = next((words for _, words, _ in page.headings), source)
        self.anchors[address] = {anchor for _, _, anchor in page.headings}
        self.check_blocks(source, page)
        self.write(address, title, address, page.html, source, page.headings)
        words = sorted(set(re.findall(r"[a-z][a-z0-9_.-]{2,}", plain(text).lower())))
        self.index.append([title, address, " ".join(words)])
        for level, words, anchor in page.headings[1:]:
            self.index.append([f"{words} – {title}", f"{address}#{anchor}", ""])

    def module(self, name, found):
        address = f"module-{name.lower()}.html"
        parts, used, headings = [f"<h1>{name}</h1>"], {}, []
        for symbol in found:
            anchor = re.sub(r"[^\w.:-]", "-", symbol.name)
            used[anchor] = used.get(anchor, 0) + 1
            if used[anchor] > 1:
                anchor = f"{anchor}-{used[anchor]}"
            comment = re.sub(r"``([^`]+)``", lambda match: f"`{match[1].split('/')[-1]}`", symbol.comment)
            comment = re.sub(r"^- (Parameters?|Returns|Throws|Complexity|Source)\b", r"* **\1**", comment, flags=re.M)
            comment = re.sub(r"^  - (\w+):", r"  * `\1`:", comment, flags=re.M)
            body = Page(comment, lambda target: target)
            parts.append(
                f'<section id="{escape(anchor)}"><h2><a href="#{escape(anchor)}"><code>{escape(symbol.name)}</code></a></h2>'
                f'<pre tabindex="0"><code class="swift">{escape(symbol.code)}</code></pre>{body.html}'
                f'<p class="from"><a href="{SOURCE}{symbol.path}">{escape(symbol.path)}</a></p></section>')
            headings.append(anchor)
            self.index.append([f"{symbol.name} – {name}", f"{address}#{anchor}", ""])
        self.anchors[address] = set(headings)
        if not found:
            self.findings.append(f"{name} has no public declaration with a comment")
        self.write(address, name, address, "\n".join(parts))

    def module_list(self):
        rows = "".join(
            f'<tr><td><a href="module-{name.lower()}.html">{name}</a></td><td>{len(found)} declarations</td></tr>'
            for name, found in self.modules.items())
        return (
            "<h1>Declarations</h1><p>The public declarations of all libraries, from the comments of the sources.</p>"
            # docc.py puts a link here.
            "<!-- api -->"
            f'<div class="wide" tabindex="0"><table>{rows}</table></div>')

    def write(self, address, title, current, html, source=None, headings=()):
        contents = "".join(
            f'<li><a href="#{anchor}">{escape(words)}</a></li>' for level, words, anchor in headings if level == 2)
        contents = f'<nav class="contents" aria-label="On this page"><ul>{contents}</ul></nav>' if contents else ""
        origin = f'<p class="from"><a href="{SOURCE}{source}">{source}</a></p>' if source else ""
        (self.folder / address).write_text(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} – Tidemark</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="style.css"></head><body>'
            '<a class="skip" href="#main">To the text</a><header><a class="home" href="index.html">Tidemark</a>'
            '<form role="search" id="search"><label for="words">Search</label>'
            '<input id="words" type="search" autocomplete="off" spellcheck="false" aria-controls="found"></form></header>'
            f'<div id="found" role="region" aria-live="polite" aria-label="Found"></div>'
            f'<div class="page"><details class="menu" id="menu"><summary>All pages</summary>{self.navigation(current)}'
            f'</details><main id="main">{contents}{html}{origin}</main></div>'
            '<script src="search-index.js" defer></script><script src="search.js" defer></script></body></html>\n')

    def navigation(self, current):
        parts = []
        for name, pages in self.groups.items():
            items = "".join(self.item(self.address(page), self.title(page), current) for page in pages)
            parts.append(f"<h2>{name}</h2><ul>{items}</ul>")
        items = self.item("symbols.html", "All libraries", current)
        items += "".join(self.item(f"module-{name.lower()}.html", name, current) for name in self.modules)
        return f'<nav aria-label="All pages">{"".join(parts)}<h2>Declarations</h2><ul>{items}</ul></nav>'

    @staticmethod
    def item(address, title, current):
        mark = ' aria-current="page"' if address == current else ""
        return f'<li><a href="{address}"{mark}>{escape(title)}</a></li>'

    def title(self, source):
        for line in (ROOT / source).read_text().split("\n"):
            if line.startswith("# "):
                return plain(line[2:])
        return source

    # Checks

    def check_links(self):
        for source, address, anchor in self.links:
            if anchor and anchor not in self.anchors[address]:
                self.findings.append(f"{source} links to {address}#{anchor}, which has no such heading")

    def check_blocks(self, source, page):
        """Parses every block of JSON that has no ellipsis in it."""
        for language, code in page.blocks:
            if language not in ("json", "ndjson") or "…" in code:
                continue
            try:
                json.loads(code)
            except ValueError:
                # One value a line.
                for line in filter(str.strip, code.split("\n")):
                    try:
                        json.loads(line)
                    except ValueError as error:
                        self.findings.append(f"{source} has JSON that is none: {line[:80]}: {error}")
                        break


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = Site(Path(sys.argv[1]))
    findings = site.build()
    for finding in findings:
        print(finding, file=sys.stderr)
    count = sum(len(found) for found in site.modules.values())
    print(f"{len(site.sources)} pages and {count} declarations of {len(site.modules)} libraries")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
