#!/usr/bin/env python3
"""PostgreSQL with one jsonb document per entity: the database that many systems have anyway.

What it does: 1,000 lines per transaction; `COPY` into a temporary table, then one `INSERT … ON CONFLICT DO UPDATE` of
the last version of each entity, or one `DELETE`. This is faster than `execute_values`, since rows are sent without
quoting and parsed once. A table of list members with an index by entity is joined with each batch, to count the
notifications that observers would need; none is sent. `synchronous_commit` is on, everything else is as initdb sets it.

The client is `psql` over a Unix socket, and gets what `peer.sliced` cuts out of the line: the server parses the JSON.
The client runs on the other processor. Reading a list is a prepared join, ordered by position, in the text form.

What it does not do: notify observers, order events, roll back edits. Memory is the peak of all processes of the server
(Pss, sampled twenty times a second), with shared pages counted once. The disk size includes the log and the catalogs.

The server does not run as root: started by root, it runs as the user `postgres`.
"""
import glob
import os
import pathlib
import shutil
import subprocess
import threading
import time

from peer import Workload, arguments, batched, disk_bytes, list_times, sliced, timed, write

SCHEMA = """
CREATE TABLE entity (id uuid PRIMARY KEY, body jsonb NOT NULL);
CREATE TABLE member (list int, position int, id uuid NOT NULL, PRIMARY KEY (list, position));
CREATE INDEX member_by_entity ON member (id);
"""
SESSION = """
CREATE TEMP TABLE incoming (number int, id uuid, body jsonb) ON COMMIT DELETE ROWS;
PREPARE list(int) AS SELECT body FROM member JOIN entity USING (id) WHERE list = $1 ORDER BY position;
"""
CHANGED = """
INSERT INTO entity SELECT DISTINCT ON (id) id, body FROM incoming ORDER BY id, number DESC
    ON CONFLICT (id) DO UPDATE SET body = excluded.body;
SELECT count(*) FROM incoming JOIN member USING (id);
"""
DELETED = """
DELETE FROM entity USING incoming WHERE entity.id = incoming.id;
SELECT count(*) FROM incoming JOIN member USING (id);
DELETE FROM member USING incoming WHERE member.id = incoming.id;
"""
END = "end of answer"


def binary(name):
    """Returns a program of the newest installed version; Debian does not put these on the path."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else shutil.which(name) or name


def unprivileged(command):
    if os.getuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]


class Server:
    def __init__(self, scratch):
        self.folder = scratch / "data"
        self.sockets = scratch
        self.process = None
        if os.getuid() == 0:
            shutil.chown(scratch, "postgres", "postgres")
        subprocess.run(
            unprivileged([binary("initdb"), "-D", self.folder, "-U", "postgres", "--encoding=UTF8", "--locale=C", "--auth=trust"]),
            stdout=subprocess.DEVNULL, check=True, cwd="/")

    def start(self):
        with open(self.sockets / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                unprivileged([binary("postgres"), "-D", self.folder, "-k", self.sockets, "-c", "listen_addresses="]),
                stdout=log, stderr=log, cwd="/")
        state = self.folder / "postmaster.pid"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            # The eighth line has the state of the server.
            if state.exists() and state.read_text().rstrip().endswith("ready"):
                return
            if self.process.poll() is not None:
                raise SystemExit(f"postgres ended: {(self.sockets / 'server.log').read_text()[-500:]}")
            time.sleep(0.001)
        raise SystemExit("postgres is not ready after two minutes")

    def stop(self):
        self.process.send_signal(2)  # Fast shutdown: does not wait for clients.
        self.process.wait(120)

    def resident(self):
        """Returns the memory of all processes of the server in bytes, with shared pages counted once."""
        total = 0
        pids = [self.process.pid]
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        try:
            pids += children.read_text().split()
            for pid in pids:
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
        except (FileNotFoundError, ProcessLookupError):
            pass
        return total


class Watch:
    """Samples the peak memory of a server while its block runs."""

    def __init__(self, server):
        self.server = server
        self.peak = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.is_over.wait(0.05):
            self.peak = max(self.peak, self.server.resident())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.is_over.set()
        self.thread.join()


class Session:
    def __init__(self, server):
        self.process = subprocess.Popen(
            [binary("psql"), "-h", server.sockets, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20)

    def send(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())

    def answer(self):
        """Returns the lines printed in response to everything sent since the last call."""
        self.send(f"\\echo {END}\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().decode().rstrip("\n")) != END:
            if not line and self.process.poll() is not None:
                raise SystemExit("psql ended: its error is above")
            lines.append(line)
        return lines

    def run(self, text):
        self.send(text)
        return self.answer()

    def copy(self, table, rows):
        self.send(f"COPY {table} FROM STDIN;\n".encode() + b"".join(rows) + b"\\.\n")

    def apply(self, lines):
        """Applies lines and returns how many notifications they would cause."""
        for batch in batched(lines):
            rows = [sliced(line) for line in batch]
            # In a mixed batch the deletes come last, and W never changes a deleted file.
            changed = [row for row in rows if row[1] is not None]
            deleted = [row for row in rows if row[1] is None]
            for part, statements in [(changed, CHANGED), (deleted, DELETED)]:
                if part:
                    self.send("BEGIN;\n")
                    self.copy("incoming", (copied(number, *row) for number, row in enumerate(part)))
                    self.send(statements + "COMMIT;\n")
        return sum(map(int, self.answer()))

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


def copied(number, identifier, body):
    """Returns a row in the text form of COPY, in which backslashes are doubled."""
    return b"%d\t%b\t%b\n" % (number, identifier, b"\\N" if body is None else body.replace(b"\\", b"\\\\"))


def cold_start(server, query):
    """Returns the milliseconds from starting the server to its answer to a new psql."""
    start = time.perf_counter()
    server.start()
    answer = subprocess.run(
        [binary("psql"), "-h", server.sockets, "-U", "postgres", "-qAtX", "-c", query, "postgres"],
        stdout=subprocess.PIPE, check=True).stdout
    took = time.perf_counter() - start
    server.stop()
    if not answer.strip():
        raise SystemExit(f"no answer to {query}")
    return took * 1e3


def main():
    options = arguments(__doc__.split("\n")[0]).parse_args()
    workload = Workload(options.workload)
    server = Server(options.scratch.resolve())
    server.start()
    session = Session(server)
    session.run(SCHEMA + SESSION)
    with Watch(server) as watch:
        load = timed(lambda: session.apply(workload.load()))
        members = (b"%d\t%d\t%b\n" % (number, position, identifier.encode())
                   for number, identifiers in enumerate(workload.lists)
                   for position, identifier in enumerate(identifiers))
        session.copy("member", members)
        session.run("ANALYZE member; ANALYZE entity;\n")
        told = 0

        def update():
            nonlocal told
            told = session.apply(workload.changes())

        update_seconds = timed(update)
    (count,) = session.run("SELECT count(*) FROM entity;\n")
    if int(count) != workload.expected["entities"]:
        raise SystemExit(f"postgres has {count} entities, not {workload.expected['entities']}")
    first, again = list_times(
        workload.lists, workload.lines("touch"), lambda line: session.apply([line]),
        lambda number: session.run(f"EXECUTE list({number});\n"))
    (alive,) = session.run("SELECT id FROM member WHERE list = 0 ORDER BY position LIMIT 1;\n")
    session.close()
    server.stop()
    disk = disk_bytes(server.folder)
    write(
        name="postgres", load_per_second=workload.count("load") / load,
        update_per_second=workload.count("update", "delete") / update_seconds, observers=0, notifications=told,
        memory_bytes=watch.peak, disk_bytes=disk, list_ms=first, list_unchanged_ms=again,
        cold_start_ms=cold_start(server, f"SELECT body FROM entity WHERE id = '{alive}'"),
        first_answer_ms=cold_start(
            server, "SELECT body FROM member JOIN entity USING (id) WHERE list = 0 ORDER BY position"))


if __name__ == "__main__":
    main()
