#!/usr/bin/env python3
"""Runs three NATS servers, two publishers and two caches, and kills, stops and disconnects them at random.

Each round begins with the next fault in a list of eleven, so eleven rounds play them all. At the end of a round, this
program reads the stream from its beginning and checks that every line is in it once and in order, that each cache holds
what the stream says, and that the digests are equal. The fault of a full disk needs a small file system, which only
root can mount; without root it is left out.

    Tests/Cluster/cluster.py [--rounds 20] [--seed 1] [--seconds 12] [--command .build/debug/tidemark]
"""
import argparse
import base64
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LIBRARY_COUNT = 20
ENTITY_COUNT = 30


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Server:
    def __init__(self, folder, number, ports):
        self.port, self.folder, self.name = ports[number], folder / f"server{number}", f"server{number}"
        self.folder.mkdir()
        self.store = self.folder / "store"
        self.store.mkdir()
        self.has_small_disk = number == 2 and os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64m", "none", self.store], capture_output=True).returncode == 0
        routes = ", ".join(f"nats-route://127.0.0.1:{port}" for port in ports[3:])
        self.configuration = self.folder / "server.conf"
        self.configuration.write_text(f"""
server_name: {self.name}
listen: 127.0.0.1:{self.port}
jetstream {{ store_dir: "{self.store}", max_mem: 64MB, max_file: 2GB }}
cluster {{ name: test, listen: 127.0.0.1:{ports[3 + number]}, routes: [{routes}], no_advertise: true }}
""")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["nats-server", "-c", str(self.configuration), "-l", str(self.folder / "log")])

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def fill_disk(self):
        with open(self.store / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(bytes(65536)):
                    pass
            except OSError:
                pass

    def empty_disk(self):
        (self.store / "filler").unlink()

    def end(self):
        self.kill()
        if self.has_small_disk:
            subprocess.run(["umount", self.store], check=True)


class Nats:
    """A NATS client with only the operations that the checks of this program need."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.send(b'CONNECT {"verbose":false,"headers":true,"no_responders":true,"lang":"python","version":"1"}\r\n'
                  b"SUB reply.test 1\r\n")

    def send(self, data):
        self.socket.sendall(data)

    def request(self, subject, body=b""):
        self.send(f"PUB {subject} reply.test {len(body)}\r\n".encode() + body + b"\r\n")
        while True:
            line = self.file.readline()
            if not line:
                raise OSError("the server closed the connection")
            words = line.split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] == b"MSG":
                return json.loads(self.file.read(int(words[-1]) + 2))
            elif words[0] == b"HMSG":
                self.file.read(int(words[-1]) + 2)
                return {"error": {"description": "nobody answers"}}


class Proxy:
    """Forwards connections to a server. While it is cut, it keeps connections open but forwards no bytes."""

    def __init__(self, target):
        self.target, self.is_cut = target, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=2)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            for source, sink in [(client, server), (server, client)]:
                threading.Thread(target=self.forward, args=(source, sink), daemon=True).start()

    def forward(self, source, sink):
        try:
            while data := source.recv(65536):
                while self.is_cut:
                    time.sleep(0.02)
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()


class Publisher:
    """Feeds the lines of some libraries to `tidemark publish`.

    When the command ends early, it is started again from the first unconfirmed line.
    """

    def __init__(self, command, address, lines):
        self.command, self.address, self.lines = command, address, lines
        self.confirmed = 0
        self.process = None
        self.is_over = False
        self.restarts = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.confirmed < len(self.lines):
            begin = self.confirmed
            self.process = subprocess.Popen(
                [self.command, "publish", "--to", self.address, "--ack"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
            feeder = threading.Thread(target=self.feed, args=(self.process, begin), daemon=True)
            feeder.start()
            for line in self.process.stdout:
                entry = json.loads(line)
                if "ack" in entry:
                    self.confirmed = begin + entry["ack"]["lines"]
            errors = self.process.stderr.read().decode()
            status = self.process.wait()
            feeder.join()
            if status not in (0, -9, 69):
                self.failure = f"publish ended with {status}: {errors}"
                break
            self.restarts += 1
        self.is_over = True

    failure = None

    def feed(self, process, begin):
        try:
            for line in self.lines[begin:]:
                process.stdin.write(line)
                process.stdin.flush()
                time.sleep(0.0015)
            process.stdin.close()
        except OSError:
            pass

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()


class Member:
    """A cache that follows one shard of the stream."""

    def __init__(self, command, address, database):
        self.command, self.address, self.database = command, address, database
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.command, "ingest", "--db", str(self.database), "--from", self.address], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def is_running(self):
        return self.process.poll() is None


def lines_of(publisher, count, chance):
    """Returns random events of the libraries of one publisher. Each has a mutation id, and none has a sequence."""
    lines = []
    for number in range(count):
        library = f"library {publisher * LIBRARY_COUNT // 2 + chance.randrange(LIBRARY_COUNT // 2)}"
        entity = str(chance.randrange(ENTITY_COUNT))
        if chance.random() < 0.1:
            event = {"Deleted": {"resource_type": "file", "resource_id": entity}}
        else:
            event = {"ResourceChanged": {"resource_type": "file", "resource": {"id": entity, "n": number, "p": publisher}}}
        lines.append(json.dumps(
            {"library_id": library, "mutation_id": f"{publisher}-{number}", "event": event},
            separators=(",", ":")).encode() + b"\n")
    return lines


def until(what, seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.1)


def read_stream(ports, stream):
    """Returns the bodies of all messages of a stream, in order."""
    for attempt in range(200):
        try:
            client = Nats(ports[attempt % 3])
            info = client.request(f"$JS.API.STREAM.INFO.{stream}")
            if "state" not in info:
                raise OSError(info)
            messages = []
            for number in range(info["state"]["first_seq"], info["state"]["last_seq"] + 1):
                answer = client.request(f"$JS.API.STREAM.MSG.GET.{stream}", json.dumps({"seq": number}).encode())
                if "message" not in answer:
                    raise OSError(answer)
                messages.append(base64.b64decode(answer["message"]["data"]))
            return messages
        except (OSError, ValueError):
            time.sleep(0.2)
    raise AssertionError("the stream cannot be read")


def leader(servers):
    """Returns the server that leads the stream, or the first server if none answers or none leads."""
    for server in servers:
        try:
            client = Nats(server.port)
            name = client.request("$JS.API.STREAM.INFO.EVENTS").get("cluster", {}).get("leader")
            client.socket.close()
            return next(each for each in servers if each.name == name)
        except (OSError, ValueError, StopIteration):
            continue
    return servers[0]


# The faults. Each round begins with the next one of these.
FAULTS = ["leader", "server", "all", "member", "publisher", "stop member", "stop server", "stop member long", "cut",
          "cut long", "full disk"]
# The further faults of a round are chosen from these at random. They are short, so that a round has several.
COMMON = ["leader", "server", "all", "member", "member", "publisher", "stop member", "stop server", "cut"]


def disturb(what, chance, servers, publishers, members, proxies):
    """Causes one fault, waits, and ends it. Returns its name, or a note if the fault was left out."""
    if what in ("server", "leader"):
        server = leader(servers) if what == "leader" else chance.choice(servers)
        server.kill()
        time.sleep(chance.uniform(0.1, 2))
        server.start()
    elif what == "all":
        for server in servers:
            server.kill()
        time.sleep(chance.uniform(0, 1))
        for server in servers:
            server.start()
    elif what == "member":
        member = chance.choice(members)
        member.kill()
        time.sleep(chance.uniform(0, 0.5))
        member.start()
    elif what == "publisher":
        chance.choice(publishers).kill()
    elif what in ("stop member", "stop member long", "stop server"):
        one = chance.choice(servers if what == "stop server" else members)
        one.process.send_signal(signal.SIGSTOP)
        time.sleep(20 if what == "stop member long" else chance.uniform(0.5, 4))
        one.process.send_signal(signal.SIGCONT)
    elif what in ("cut", "cut long"):
        for proxy in proxies:
            proxy.is_cut = True
        # A long cut lasts longer than libnats and the reader wait before they give a connection up.
        time.sleep(12 if what == "cut long" else chance.uniform(0.5, 4))
        for proxy in proxies:
            proxy.is_cut = False
    elif what == "full disk":
        server = next((each for each in servers if each.has_small_disk), None)
        if server is None:
            return "no full disk (not root)"
        server.fill_disk()
        time.sleep(chance.uniform(2, 5))
        server.empty_disk()
        # A server whose disk was full does not serve its part of the streams again until it is restarted.
        server.kill()
        server.start()
    return what


def play(command, seed, seconds, folder):
    chance = random.Random(seed)
    ports = free_ports(6)
    servers = [Server(folder, number, ports) for number in range(3)]
    for server in servers:
        server.start()
    proxies = [Proxy(port) for port in ports[:3]]
    direct = "nats://" + ",".join(f"127.0.0.1:{port}" for port in ports[:3]) + "/EVENTS"
    cut = "nats://" + ",".join(f"127.0.0.1:{proxy.port}" for proxy in proxies) + "/EVENTS"
    members, publishers = [], []
    try:
        until("the stream is made", 60, lambda: subprocess.run(
            [command, "stream", "create", "--to", direct, "--replicas", "3"], capture_output=True).returncode == 0)
        members = [Member(command, f"{address}?shard={index}/2", folder / f"member{index}.db")
                   for index, address in enumerate([direct, cut])]
        count = int(seconds * 300)
        publishers = [Publisher(command, address, lines_of(number, count, chance))
                      for number, address in enumerate([direct, cut])]
        done = collections.Counter()
        end = time.monotonic() + seconds
        what = FAULTS[seed % len(FAULTS)]
        while done.total() == 0 or time.monotonic() < end:
            time.sleep(chance.uniform(0, 1.5))
            done[disturb(what, chance, servers, publishers, members, proxies)] += 1
            what = chance.choice(COMMON)
        until("everything is published", 180, lambda: all(each.is_over for each in publishers))
        for each in publishers:
            assert each.failure is None, each.failure
        messages = read_stream(ports, "EVENTS")
        check_order(messages, publishers)
        for member in members:
            # A cache that lost its server while it was starting has already ended by itself.
            if member.is_running():
                member.process.send_signal(signal.SIGTERM)
                member.process.wait(30)
            until("the cache has caught up", 90, lambda: subprocess.run(
                [command, "ingest", "--db", str(member.database), "--from", member.address, "--until-caught-up"],
                capture_output=True).returncode == 0)
        check_caches(command, members, messages)
        check_digests(command, members, messages, folder)
        return len(messages), done, sum(each.restarts for each in publishers) - len(publishers)
    finally:
        for each in members:
            each.process.send_signal(signal.SIGCONT)
            each.kill()
        for each in publishers:
            each.lines = []
            each.kill()
        for server in servers:
            server.end()


def check_order(messages, publishers):
    """Checks that every confirmed line is in the stream once, and that the lines of each library are in order."""
    stored = collections.defaultdict(list)
    for body in messages:
        stored[json.loads(body)["library_id"]].append(body)
    wanted = collections.defaultdict(list)
    for publisher in publishers:
        for line in publisher.lines:
            wanted[json.loads(line)["library_id"]].append(line.rstrip(b"\n"))
    for library, lines in wanted.items():
        assert stored[library] == lines, (
            f"{library}: {len(stored[library])} messages for {len(lines)} lines; "
            f"first difference at {next((i for i, (a, b) in enumerate(zip(stored[library], lines)) if a != b), 'the end')}")


def check_caches(command, members, messages):
    """Checks that each cache has the entities that the stream produces for its libraries, and that nothing is lost."""
    wanted = collections.defaultdict(dict)
    for body in messages:
        line = json.loads(body)
        entities, event = wanted[line["library_id"]], line["event"]
        if "Deleted" in event:
            entities.pop(event["Deleted"]["resource_id"], None)
        else:
            resource = event["ResourceChanged"]["resource"]
            entities[resource["id"]] = resource
    found = collections.defaultdict(dict)
    for member in members:
        text = subprocess.run([command, "export", "--db", str(member.database)], check=True, capture_output=True).stdout
        for line in text.splitlines():
            entry = json.loads(line)
            assert entry["id"] not in found[entry["library_id"]], "two caches have one library"
            found[entry["library_id"]][entry["id"]] = entry["resource"]
        gaps = subprocess.run([command, "gaps", "--db", str(member.database), "--json"], check=True, capture_output=True)
        for line in gaps.stdout.splitlines():
            assert '"state":"live"' in line.decode() and '"lost":[]' in line.decode(), line
        subprocess.run([command, "verify", "--db", str(member.database)], check=True, capture_output=True)
    for library in wanted:
        assert found[library] == wanted[library], f"{library}: the cache has {len(found[library])} of {len(wanted[library])}"


def check_digests(command, members, messages, folder):
    """Checks that the caches' digests add up to the digest of a new cache that reads the whole stream as lines."""
    lines = b"".join(body + b"\n" for body in messages)
    third = folder / "third.db"
    subprocess.run([command, "ingest", "--db", third], input=lines, check=True, capture_output=True)

    def digest(database):
        text = subprocess.run([command, "verify", "--db", database, "--json"], check=True, capture_output=True).stdout
        return int(json.loads(text)["digest"], 16)

    # A digest is a sum over entities modulo 2^64, so the digests of shards can be added.
    found, wanted = sum(digest(member.database) for member in members) % 2**64, digest(third)
    assert found == wanted, f"the digests differ: {found:016x} and {wanted:016x}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--command", default=".build/debug/tidemark")
    arguments = parser.parse_args()
    # Debian installs nats-server in /usr/sbin, which is not in the PATH of every user.
    os.environ["PATH"] += os.pathsep + "/usr/sbin"
    if shutil.which("nats-server") is None:
        sys.exit("nats-server is not installed: make deps installs it")
    command = str(pathlib.Path(arguments.command).resolve())
    total = collections.Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.rounds):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-cluster-"))
        begin = time.monotonic()
        try:
            count, done, restarts = play(command, seed, arguments.seconds, folder)
        except BaseException:
            print(f"round {seed} failed; its files are in {folder}", file=sys.stderr)
            raise
        shutil.rmtree(folder)
        total += done
        words = ", ".join(f"{what} {number}" for what, number in sorted(done.items()))
        print(f"round {seed}: {count} messages and digests equal after {words}; publishers began again {restarts} times; "
              f"{time.monotonic() - begin:.0f} s", flush=True)
    print("played: " + ", ".join(f"{what} {number}" for what, number in sorted(total.items())))


if __name__ == "__main__":
    main()
