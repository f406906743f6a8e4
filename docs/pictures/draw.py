#!/usr/bin/env python3
"""Draws the pictures of docs/why.md and docs/concepts.md.

Usage: draw.py [--check]

Each picture has a background of its own and both colour schemes, so that it is readable on a light and on a dark page.
With --check nothing is written, and the status is 1 if a picture differs from what this script draws.
"""
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
STYLE = """
.ground{fill:#ffffff}.box{fill:#f1f4f6;stroke:#8a97a3}.new{fill:#d9efe8;stroke:#2f7d6b}.lost{fill:#f7e0da;stroke:#b3452c}
.edit{fill:#fdf0cf;stroke:#9a7512}.line{stroke:#55626e;fill:none}.head{fill:#55626e}text{fill:#1c252d}.small{fill:#4d5963;font-size:13px}
.mono{font-size:13px;font-family:ui-monospace,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){
.ground{fill:#12181d}.box{fill:#222c34;stroke:#75838f}.new{fill:#173d34;stroke:#5db8a1}.lost{fill:#45211a;stroke:#e0806a}
.edit{fill:#40340f;stroke:#d8b04a}.line{stroke:#aab6c0}.head{fill:#aab6c0}text{fill:#e8eef3}.small{fill:#b4c0ca}}
"""


class Picture:
    """A picture of rectangles, arrows and texts."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="system-ui,-apple-system,Segoe UI,sans-serif" font-size="14" role="img" aria-labelledby="t">',
            f'<title id="t">{escape(title)}</title>',
            f"<style>{STYLE.strip()}</style>",
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
            f'<rect class="ground" width="{width}" height="{height}" rx="8"/>',
        ]

    def text(self, x, y, words, kind="", anchor="start"):
        kind = f' class="{kind}"' if kind else ""
        anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x}" y="{y}"{kind}{anchor}>{escape(words)}</text>')

    def box(self, x, y, width, height, words="", kind="box", dashed=False, small=""):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"{dash}/>')
        middle = y + height / 2 + 5 - (9 if small else 0)
        if words:
            self.text(x + width / 2, middle, words, anchor="middle")
        if small:
            self.text(x + width / 2, middle + 18, small, "small", "middle")

    def arrow(self, *points):
        path = " ".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="line" d="M{path}" marker-end="url(#a)"/>')

    def finish(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def overview():
    picture = Picture(800, 300, "Where Tidemark stands between a server and what is shown")
    for y, words, small in [(40, "your server", "any backend, its API"), (126, "its log of changes", "outbox, CDC, SSE, NATS"),
                            (212, "its responses", "REST, GraphQL, HTTP")]:
        picture.box(16, y, 180, 46, words, small=small)
    picture.box(310, 20, 190, 260)
    picture.text(405, 48, "Tidemark", anchor="middle")
    picture.box(325, 64, 160, 40, "pending edits", "edit")
    picture.box(325, 112, 160, 40, "lists and views", "new")
    picture.box(325, 160, 160, 40, "entities", "new")
    picture.text(405, 232, "one SQLite file", "small", "middle")
    picture.text(405, 252, "position in every log", "small", "middle")
    for y, words, small in [(40, "your screens", "patch for patch"), (126, "other processes", "pipe, HTTP, browser"),
                            (212, "other clients", "each what it may see")]:
        picture.box(604, y, 180, 46, words, small=small)
    picture.arrow((308, 63), (198, 63))
    picture.text(254, 54, "edits", "small", "middle")
    picture.arrow((196, 149), (308, 149))
    picture.text(254, 140, "events", "small", "middle")
    picture.arrow((196, 235), (308, 235))
    picture.text(254, 226, "entities", "small", "middle")
    for y, words in [(63, "patches"), (149, "JSON-RPC"), (235, "scopes")]:
        picture.arrow((500, y), (602, y))
        picture.text(551, y - 9, words, "small", "middle")
    return picture.finish()


def log():
    picture = Picture(800, 250, "A log with a gap, and the cursor before it")
    picture.text(20, 34, "one library's log, as it arrives")
    for index, (kind, small) in enumerate([("new", "applied")] * 4 + [("lost", "missing")] + [("edit", "held")] * 2):
        picture.box(20 + index * 82, 50, 70, 56, str(index + 1), kind, kind == "lost", small)
    picture.arrow((301, 150), (301, 110))
    picture.text(301, 170, "cursor: 4", anchor="middle")
    picture.text(290, 190, "settled up to here", "small", "middle")
    picture.arrow((383, 110), (383, 216), (578, 216))
    picture.box(580, 190, 200, 46, "upstream", small="“events from 5 on?”")
    picture.arrow((680, 188), (680, 146), (436, 146), (404, 110))
    picture.text(560, 138, "5 arrives: 5, 6, 7 take effect", "small", "middle")
    picture.text(20, 222, "if nobody has it, 5 is declared lost,", "small")
    picture.text(20, 238, "and the library is stale", "small")
    return picture.finish()


def layers():
    picture = Picture(800, 260, "Layers of edits over the base, and what a reader sees")
    picture.text(20, 34, "what a reader sees")
    picture.box(20, 46, 400, 40)
    picture.text(34, 71, '{"name":"Sea at night","stars":5}', "mono")
    picture.text(20, 116, "layers: edits that no server has confirmed")
    picture.box(20, 128, 400, 34, kind="edit")
    picture.text(34, 150, "edit-2: stars = 5", "mono")
    picture.box(20, 166, 400, 34, kind="edit")
    picture.text(34, 188, "edit-1: name = “Sea at night”", "mono")
    picture.box(20, 206, 400, 40, kind="new")
    picture.text(34, 231, '{"name":"Sea","stars":3}', "mono")
    picture.text(434, 231, "base: the server's data", "small")
    picture.arrow((420, 183), (548, 183))
    picture.text(484, 174, "outbox", "small", "middle")
    picture.box(550, 160, 230, 46, "your server", small="each edit, in order, by its id")
    picture.arrow((665, 160), (665, 112))
    picture.box(550, 20, 230, 40, kind="new")
    picture.text(665, 45, "confirmed: part of the base", anchor="middle")
    picture.box(550, 70, 230, 40, kind="lost")
    picture.text(665, 95, "refused: taken back", anchor="middle")
    return picture.finish()


def lists():
    picture = Picture(800, 290, "Entities, a list, a view, and the patch that a change sends")
    picture.text(20, 34, "entities, each once")
    for index, (words, kind) in enumerate(
            [("photo:1, stars 3", "box"), ("photo:2, stars 5 → 2", "edit"), ("photo:3, stars 4", "box"),
             ("album:9, “Summer”", "box")]):
        picture.box(20, 48 + index * 46, 180, 36, words, kind)
    picture.text(20, 262, "an event changes photo:2", "small")
    picture.text(270, 34, "list: keys of one type")
    picture.box(270, 48, 230, 84)
    picture.text(284, 72, "best photos, by stars", "small")
    picture.text(284, 96, "2, 3, 1", "mono")
    picture.text(284, 120, "→ 3, 1, 2", "mono")
    picture.text(270, 168, "view: several types")
    picture.box(270, 182, 230, 84)
    picture.text(284, 206, "albums with their stars", "small")
    picture.text(284, 230, "Summer: 12", "mono")
    picture.text(284, 254, "→ Summer: 9", "mono")
    picture.arrow((200, 110), (268, 92))
    picture.arrow((200, 118), (268, 222))
    picture.text(570, 34, "patch: only what changed")
    for y, first, second in [(48, "replace /0 photo:2", "move /0 to /2"), (182, "replace /0/stars", "by 9")]:
        picture.arrow((500, y + 42), (568, y + 42))
        picture.box(570, y, 210, 84, kind="new")
        picture.text(584, y + 36, first, "mono")
        picture.text(584, y + 62, second, "mono")
    picture.text(570, 284, "folded in order: a read", "small")
    return picture.finish()


PICTURES = {"overview.svg": overview, "log.svg": log, "layers.svg": layers, "lists.svg": lists}


def main():
    wanted = {name: draw() for name, draw in PICTURES.items()}
    if "--check" in sys.argv[1:]:
        differing = [name for name, text in wanted.items() if not (HERE / name).exists() or (HERE / name).read_text() != text]
        if differing:
            sys.exit(f"{', '.join(differing)}: run docs/pictures/draw.py")
        return
    for name, text in wanted.items():
        (HERE / name).write_text(text)


if __name__ == "__main__":
    main()
