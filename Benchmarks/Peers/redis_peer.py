#!/usr/bin/env python3
"""Redis 7 as a store of opaque values: the floor for what a server process costs.

What it does: `SET file:<id> <resource bytes>` for each change and `DEL` for each delete, 1,000 commands per write, over
a Unix socket, with a second write sent before the first is answered. The client parses no JSON: it cuts id and resource
out of the line at known offsets (`peer.sliced`) and writes the protocol directly, on the processor that the server does
not use. The append-only file is on; `--fsync everysec` may lose the last second, `--fsync always` syncs before it
answers. Snapshots are off, everything else has its default, so the append-only file is rewritten as it grows.

Why it is fair: nothing is parsed, indexed, compressed or checked, and the client costs little.

What it does not do: JSON, lists (a list is read with `MGET` of ids that the client remembers, until all bytes have
arrived; they are not parsed), observers, order of events, memory limits with a disk, rollback of edits. Memory is the
server's.
"""
import os
import socket
import subprocess
import time

from peer import (Workload, arguments, batched, disk_bytes, list_times, peak_bytes, sliced, timed, write)


class Server:
    def __init__(self, folder, fsync):
        self.folder = folder
        self.socket = f"{folder}/redis.sock"
        self.command = [
            "redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", str(folder), "--appendonly", "yes",
            "--appendfsync", fsync, "--save", "", "--logfile", f"{folder}/redis.log",
        ]
        self.process = None

    def start(self):
        """Returns a connection once the server answers, which is after it has loaded its file."""
        if os.path.exists(self.socket):
            os.remove(self.socket)
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                connection = Connection(self.socket)
                if connection.call(b"PING") == b"PONG":
                    return connection
            except OSError:
                pass
            if self.process.poll() is not None:
                raise SystemExit(f"redis-server ended: see {self.folder}/redis.log")
            time.sleep(0.001)
        raise SystemExit("redis-server does not answer")

    def stop(self, connection):
        while b"aof_rewrite_in_progress:1" in connection.call(b"INFO", b"persistence"):
            time.sleep(0.05)
        connection.send([command(b"SHUTDOWN")])
        self.process.wait(60)


def command(*words):
    return b"".join([b"*%d\r\n" % len(words), *(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)])


def change(line):
    """Returns the Redis command for a line of W."""
    identifier, body = sliced(line)
    if body is None:
        return b"*2\r\n$3\r\nDEL\r\n$41\r\nfile:%b\r\n" % identifier
    return b"*3\r\n$3\r\nSET\r\n$41\r\nfile:%b\r\n$%d\r\n%b\r\n" % (identifier, len(body), body)


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.reader = self.socket.makefile("rb", 1 << 20)

    def send(self, commands):
        self.socket.sendall(b"".join(commands))

    def reply(self):
        line = self.reader.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            count = int(rest)
            return None if count < 0 else self.reader.read(count + 2)[:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind not in b"+:" or not line:
            raise OSError(f"redis answered {line}")
        return rest

    def call(self, *words):
        self.send([command(*words)])
        return self.reply()

    def apply(self, lines):
        """Writes a batch while the previous one is being answered. The answers are lines: `+OK` and `:1`."""
        before = 0
        for batch in batched(lines):
            self.send([change(line) for line in batch])
            self.expect(before)
            before = len(batch)
        self.expect(before)

    def raw(self, *words):
        """Returns the unparsed bytes of an answer. The answer to a further request marks where they end."""
        self.send([command(*words), command(b"PING")])
        answer = bytearray()
        while not answer.endswith(b"\r\n+PONG\r\n"):
            answer += self.socket.recv(1 << 20)
        return answer

    def expect(self, count):
        for _ in range(count):
            answer = self.reader.readline()
            if answer[:1] not in b"+:" or not answer:
                raise SystemExit(f"redis answered {answer}")


def main():
    options = arguments(__doc__.split("\n")[0], fsync=["everysec", "always"]).parse_args()
    workload = Workload(options.workload)
    server = Server(options.scratch.resolve(), options.fsync)
    connection = server.start()
    load = timed(lambda: connection.apply(workload.load()))
    update = timed(lambda: connection.apply(workload.changes()))
    memory = peak_bytes(server.process.pid)
    count = int(connection.call(b"DBSIZE"))
    if count != workload.expected["entities"]:
        raise SystemExit(f"redis has {count} entities, not {workload.expected['entities']}")

    keys = [[b"file:" + identifier.encode() for identifier in identifiers] for identifiers in workload.lists]

    first, again = list_times(
        workload.lists, workload.lines("touch"), lambda line: connection.apply([line]),
        lambda number: connection.raw(b"MGET", *keys[number]), count=lambda answer: answer.count(b'{"id":'))
    alive = next(key for key in keys[0] if connection.call(b"EXISTS", key) == b"1")
    server.stop(connection)
    disk = disk_bytes(server.folder)

    start = time.perf_counter()
    connection = server.start()
    if connection.call(b"GET", alive) is None:
        raise SystemExit("redis forgot an entity")
    cold = time.perf_counter() - start
    server.stop(connection)
    start = time.perf_counter()
    connection = server.start()
    connection.raw(b"MGET", *keys[0])
    cold_list = time.perf_counter() - start
    server.stop(connection)
    write(
        name=f"redis-{options.fsync}", load_per_second=workload.count("load") / load,
        update_per_second=workload.count("update", "delete") / update, observers=0, memory_bytes=memory, disk_bytes=disk,
        list_ms=first, list_unchanged_ms=again, cold_start_ms=cold * 1e3, first_answer_ms=cold_list * 1e3)


if __name__ == "__main__":
    main()
