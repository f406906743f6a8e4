#!/usr/bin/env python3
"""Runs the commands that the pages show, as they stand there, page by page in a folder of its own.

Usage: blocks.py PATH-OF-TIDEMARK [PAGE …]

A reader types the blocks of a page in their order; so does this. What a page takes for granted, such as a stream of
events or a server, is made before (GIVEN). Each block with a command is in RUN, or in LEFT with the reason why it is
not run: a new block in neither ends the run with 1, and so does one that fails or prints something else.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# A guard against commands that hang, which then end with 124; the longest block takes a few seconds.
SECONDS_MAX = 240
# What the first word of a command may be.
COMMANDS = re.compile(
    r"^(\$ )?(\(umask|token=|tidemark|make|swift|curl|sqlite3|echo|printf|my-event-source|systemctl|cp|npm|npx|\.ci/)",
    re.M)

EVENTS = """{"library_id":"home","sequence":1,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"a.txt","kind":"image"}}}}
{"library_id":"home","sequence":2,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"b.txt","kind":"image"}}}}
"""
SCHEMA = "type Query { hero: Character }\\ntype Character @cacheControl(maxAge: 600) { id: ID! name: String }"
INGESTED = "tidemark ingest --db cache.db --index file./kind < events.ndjson"

# What each page takes for granted, as commands.
GIVEN = {
    "docs/data-file.md": INGESTED,
    "docs/graphql-and-events.md": f"printf '{SCHEMA}' > schema.graphqls; echo '{{ hero {{ id name }} }}' > hero.graphql",
    "docs/moving.md": f"printf '{SCHEMA}' > schema.graphqls; cp events.ndjson rows.ndjson",
    "docs/scopes.md": "(umask 077; openssl rand -hex 32 | "
    "sed 's/.*/{\"keys\":[{\"kty\":\"oct\",\"alg\":\"HS256\",\"k\":\"&\"}]}/' > keys.json)",
    "Protocol/serving.md": "tidemark ingest --db cache.db < events.ndjson",
}

# The blocks that are run: page, how the block begins, a part of what it prints, and its status where that is not 0.
# "run" types the block; "plain" does so with a new database that is not encrypted; "serve" starts a server, to which
# the next block talks; "host" gives the lines after the first one to the command as its input; "console" compares what
# a command prints with the lines below it; "recording" records the events of EVENTS; "check" starts the server of the
# last line and ends it; "observe" has a server for the block.
RUN = [
    ("README.md", "tidemark generate", "run", ""),
    ("README.md", "tidemark ingest", "run", '"reconciled":'),
    ("README.md", "tidemark list", "run", "nothing wrong found"),
    ("README.md", "tidemark view", "run", '"n":'),
    ("README.md", "tidemark run", "host", '"op":"add"'),
    ("docs/data-file.md", "sqlite3 -readonly cache.db \"PRAGMA", "run", "home|2|0|1"),
    ("docs/data-file.md", "sqlite3 -readonly cache.db \"SELECT number", "run", "6631"),
    ("docs/graphql-and-events.md", "$ echo", "console", ""),
    ("docs/graphql-and-events.md", "tidemark run", "host", ""),
    ("docs/moving.md", "tidemark serve", "serve", ""),
    ("docs/moving.md", "tidemark ingest", "run", '"applied":2'),
    ("docs/operating.md", "my-event-source | tidemark", "run", '"ack"'),
    ("docs/operating.md", "tidemark run --db /var/lib", "host", ""),
    ("docs/operating.md", "tidemark serve", "serve", ""),
    ("docs/operating.md", "curl", "run", '"applied":2'),
    ("docs/operating.md", "(umask", "run", '"name":"b.txt"'),
    ("docs/operating.md", "tidemark doctor", "plain", ""),
    ("docs/operating.md", "tidemark run --db cache.db --record", "recording", '"name":"b.txt"'),
    ("docs/operating.md", "tidemark pending", "run", "", 66),
    ("docs/operating.md", "tidemark quarantine", "run", "", 66),
    ("docs/operating.md", "tidemark gaps", "run", ""),
    ("docs/scopes.md", "tidemark scope check --scopes scopes.json\ntidemark serve", "check", ""),
    ("docs/scopes.md", "tidemark scope check --scopes scopes.json --claims", "run", "issue:i2"),
    ("docs/decisions/0006-gaps-and-holes.md", "tidemark generate", "run", ""),
    ("Protocol/serving.md", "token=", "observe", '"subscription":1'),
]

# The blocks that are not run, and why.
LEFT = [
    ("README.md", "make run", "builds; .ci/run runs make test in a clean clone"),
    ("CONTRIBUTING.md", "swift test", "builds"),
    ("Examples/README.md", "make examples", "builds"),
    ("docs/data-file.md", "sqlite3 -readonly cache.db <<", "needs the extension, which SQLiteExtensionTests loads"),
    ("docs/moving.md", "tidemark graphql import-apollo", "ApolloImportCommandTests make such files"),
    ("docs/operating.md", "systemctl", "needs a service manager"),
    ("docs/operating.md", "tidemark selftest", "takes a minute; SimulationTests run the command"),
    ("docs/typed-operations.md", "tidemark-graphql-generate", "GraphQLGenerateTests run the generator"),
]


def pages():
    """Returns the pages, without docs/doors.md, whose programs doors.py runs."""
    folders = ["docs", "docs/decisions", "Protocol"]
    found = [page for folder in folders for page in sorted((ROOT / folder).glob("*.md"))]
    found = [page for page in found if page.name != "doors.md"]
    return [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Examples/README.md")] + found


def blocks(page):
    """Returns the blocks of a page that hold commands, in their order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.M | re.S)
    return [text for language, text in found if language in ("", "sh", "console") and COMMANDS.match(text)]


class Reader:
    """Somebody who types what a page shows."""

    def __init__(self, command, folder):
        self.folder = Path(folder)
        self.servers = []
        self.port = "7420"
        bin = self.folder / "bin"
        bin.mkdir()
        self.script(bin / "tidemark", f'exec "{os.path.abspath(command)}" "$@"')
        self.script(bin / "my-event-source", f'exec cat "{self.folder}/events.ndjson"')
        (self.folder / "events.ndjson").write_text(EVENTS)
        (self.folder / "complete.ndjson").write_text(EVENTS)
        (self.folder / "lib").mkdir()
        self.environment = dict(os.environ, PATH=f"{bin}:{os.environ['PATH']}")

    def script(self, path, text):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def here(self, text):
        """Returns a block with this machine's places: the server's port, and a folder that may be written."""
        return text.replace("7420", self.port).replace("/var/lib/tidemark", str(self.folder / "lib"))

    def shell(self, text, input=""):
        words = ["timeout", str(SECONDS_MAX), "bash", "-e", "-c", self.here(text)]
        return subprocess.run(
            words, cwd=self.folder, env=self.environment, text=True, input=input, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def serve(self, text):
        """Starts a server at a free port, which it chooses itself; returns its status, and its first line."""
        text = re.sub(r" --listen \S+", "", text).replace("tidemark serve", "tidemark serve --listen 127.0.0.1:0")
        server = subprocess.Popen(
            ["bash", "-c", "exec " + self.here(text)], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.servers.append(server)
        line = server.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        if found is None:
            return 1, line + server.stderr.read()
        self.port = found[1]
        return 0, line

    def end(self):
        while self.servers:
            server = self.servers.pop()
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=SECONDS_MAX)

    def run(self, block, how):
        """Runs a block; returns its status and what it printed."""
        if "--key-file" in block:
            # A database has a key from its first day: the page begins a new one.
            self.shell("rm -f cache.db*")
        if how == "serve":
            return self.serve(block)
        if how == "host":
            command, _, lines = block.partition("\n")
            result = self.shell(command, input=lines)
        elif how == "console":
            # A command after a dollar sign, and what it prints.
            command, lines = block.removeprefix("$ ").split("\n{", 1)
            result = self.shell(command)
            if result.stdout != "{" + lines:
                return 1, result.stdout
        elif how == "recording":
            # The sequence of the page is that of a longer log, and what is looked for is in this one.
            first, rest = block.replace("4711", "2").split("\n", 1)
            if self.shell(first, input=EVENTS).returncode != 0:
                return 1, "nothing was recorded"
            result = self.shell(rest)
        elif how == "check":
            first, second = block.split("\n", 1)
            result = self.shell(first)
            status, output = self.serve(second.rstrip())
            self.end()
            if status != 0:
                return status, output
        elif how == "plain":
            self.shell("rm -f cache.db*; " + INGESTED)
            result = self.shell(block)
        elif how == "observe":
            status, output = self.serve("tidemark serve --db cache.db")
            if status != 0:
                return status, output
            result = self.shell("trap 'kill $(jobs -p)' EXIT\n" + block)
        else:
            result = self.shell(block)
        return result.returncode, result.stdout + result.stderr


def save_examples(page, reader):
    """Saves the files that a page tells its reader to save."""
    if page.name != "scopes.md" or page.parent.name != "docs":
        return
    text = page.read_text()
    (reader.folder / "entities.ndjson").write_text(re.search(r"^```ndjson\n(.*?)^```", text, re.M | re.S)[1])
    (reader.folder / "scopes.json").write_text(re.search(r"`scopes.json`:\n\n```json\n(.*?)^```", text, re.M | re.S)[1])
    reader.shell("tidemark ingest --db cache.db < entities.ndjson")


def check(command, page):
    """Runs the blocks of a page; returns what is wrong."""
    name = str(page.relative_to(ROOT))
    wanted = [entry for entry in RUN if entry[0] == name]
    left = [entry for entry in LEFT if entry[0] == name]
    faults, used = [], set()
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(command, folder)
        try:
            save_examples(page, reader)
            if name in GIVEN:
                reader.shell(GIVEN[name])
            for block in blocks(page):
                entry = next((entry for entry in wanted + left if block.startswith(entry[1])), None)
                if entry is None:
                    faults.append(f"{name}: neither run nor left out: {block}")
                    continue
                used.add(entry)
                if entry in left:
                    continue
                how, expected = entry[2:4]
                if how != "run" or not reader.servers or "curl" not in block:
                    reader.end()
                status, output = reader.run(block, how)
                if status != (entry[4] if len(entry) > 4 else 0) or expected not in output:
                    faults.append(f"{name}: status {status} of\n{block}\n{output[-2000:]}")
        finally:
            reader.end()
    faults += [f"{name}: no block begins with {entry[1]}" for entry in wanted + left if entry not in used]
    return faults


def main():
    command, wanted = sys.argv[1], sys.argv[2:]
    # Whoever blocks the signal by which processes are ended passes that on to all that it starts.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    faults = []
    count = 0
    for page in pages():
        if wanted and str(page.relative_to(ROOT)) not in wanted:
            continue
        count += len(blocks(page))
        faults += check(command, page)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} blocks with commands, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
