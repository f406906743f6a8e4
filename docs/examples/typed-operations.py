#!/usr/bin/env python3
"""Builds the package of docs/typed-operations.md from a fresh clone, and runs it against a server.

Every file of the package is a code block of the page, after a line that begins with the file's name. The clone is the
last commit without any build products. It gets the tag of the version that the page names, and the package depends on
it by URL and version, as on the page. With --here the package uses this tree and its build folder instead, which takes
seconds if Tidemark is built.
"""

import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERO = {
    "__typename": "Hero",
    "id": "1",
    "name": "R2-D2",
    "friends": [
        {"__typename": "Hero", "id": "2", "name": "Luke"},
        {"__typename": "Hero", "id": "3", "name": "Leia"},
    ],
}
EXPECTED = "R2-D2 and Luke\nR2-D2 and Leia\n"


class Server(http.server.BaseHTTPRequestHandler):
    requests = []

    def do_POST(self):
        Server.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = json.dumps({"data": {"hero": HERO}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def dependency(clone, version, is_here):
    if is_here:
        return f'.package(path: "{clone}")'
    subprocess.run(["git", "-C", str(clone), "tag", "--force", version], check=True)
    return f'.package(url: "file://{clone}", from: "{version}")'


def write_package(folder, clone, is_here):
    page = (ROOT / "docs/typed-operations.md").read_text()
    blocks = re.findall(r"^`([\w./]+)` [^\n]*:\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = [name for name, _ in blocks]
    if len(names) != 4:
        sys.exit(f"docs/typed-operations.md has the files {names} instead of four")
    for name, text in blocks:
        if name == "Package.swift":
            text, count = re.subn(
                r'\.package\(url: "[^"]*", from: "([^"]*)"\)',
                lambda match: dependency(clone, match[1], is_here),
                text,
            )
            if count != 1:
                sys.exit("the package of the page does not name Tidemark by its address")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    code = [line for line in dict(blocks)["Sources/heroes/main.swift"].splitlines() if line.strip()]
    if len(code) > 10:
        sys.exit(f"main.swift has {len(code)} lines of code; the page promises ten")


def main():
    is_here = sys.argv[1:] == ["--here"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        clone = ROOT if is_here else scratch / "tidemark"
        if not is_here:
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        write_package(scratch / "heroes", clone, is_here)
        options = ["--scratch-path", str(ROOT / ".build")] if is_here else []
        subprocess.run(["swift", "build", "--product", "heroes", *options], cwd=scratch / "heroes", check=True)
        server = http.server.HTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for _ in range(2):
            run = subprocess.run(
                ["swift", "run", "--skip-build", *options, "heroes", f"http://127.0.0.1:{server.server_port}/graphql"],
                cwd=scratch / "heroes",
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            if run.stdout != EXPECTED:
                sys.exit(f"the program printed {run.stdout!r} instead of {EXPECTED!r}")
        if len(Server.requests) != 1:
            sys.exit(f"the server was asked {len(Server.requests)} times; the second run has the answer in its cache")
        print(run.stdout, end="")


main()
