#!/usr/bin/env python3
"""Checks that the memory of a cache that reads a long stream does not grow with the number of messages.

The messages change 10,000 entities in 20 libraries, so the cache itself soon reaches its final size.

    Tests/Cluster/memory.py [--messages 10000000] [--command .build/release/tidemark]
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import cluster

LIBRARY_COUNT = 20
ENTITY_COUNT = 10_000
# The allowed growth, in bytes, from the first tenth of the messages to the highest later tenth. It leaves room for a
# buffer or two of the allocator.
GROWTH_MAX = 16 << 20


def body(number):
    return json.dumps({"ResourceChanged": {"resource_type": "file", "resource": {
        "id": str(number % ENTITY_COUNT), "n": number, "name": f"name of {number}", "kind": "audio"}}},
        separators=(",", ":")).encode()


def fill(client, count):
    """Publishes the messages without waiting for each answer. A single server stores those of a connection in order."""
    subjects = ["tidemark." + base64.b32encode(f"library {number}".encode()).decode().rstrip("=").lower()
                for number in range(LIBRARY_COUNT)]
    part = []
    for number in range(count):
        line = body(number)
        # Each entity always belongs to the same library.
        part.append(f"PUB {subjects[number % LIBRARY_COUNT]} {len(line)}\r\n".encode() + line + b"\r\n")
        if len(part) == 1_000:
            client.send(b"".join(part))
            part = []
    client.send(b"".join(part))
    last = client.request("$JS.API.STREAM.INFO.EVENTS")["state"]["messages"]
    assert last == count, f"the stream has {last} of {count} messages"


def resident(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10
    return 0


def watch(process, client, count):
    """Returns the highest resident memory in each tenth of the messages, in bytes.

    The progress is computed from the number of messages that the server has not delivered yet.
    """
    tenths = [0] * 10
    while process.poll() is None:
        consumers = client.request("$JS.API.CONSUMER.LIST.EVENTS").get("consumers") or []
        if consumers:
            read = count - max(each["num_pending"] for each in consumers)
            tenth = min(9, read * 10 // count)
            tenths[tenth] = max(tenths[tenth], resident(process.pid))
        time.sleep(0.05)
    return tenths


def play(command, count, folder):
    port = cluster.free_ports(1)[0]
    server = subprocess.Popen(["nats-server", "-js", "-sd", folder / "store", "-p", str(port), "-l", folder / "log"])
    try:
        def connect():
            try:
                return cluster.Nats(port)
            except OSError:
                return None
        cluster.until("the server listens", 30, lambda: connect() is not None)
        client = connect()
        client.socket.settimeout(120)
        address = f"nats://127.0.0.1:{port}/EVENTS"
        subprocess.run([command, "stream", "create", "--to", address], check=True, capture_output=True)
        fill(client, count)
        begin = time.monotonic()
        process = subprocess.Popen(
            [command, "ingest", "--db", folder / "cache.db", "--from", address, "--until-caught-up"],
            stdout=subprocess.PIPE)
        tenths = watch(process, client, count)
        summary = json.loads(process.stdout.read())
        seconds = time.monotonic() - begin
        assert process.returncode == 0 and summary["lines"] == count and summary["events"]["applied"] == count, summary
        assert summary["entities"] == ENTITY_COUNT, summary["entities"]
        print(f"{count} messages in {seconds:.0f} s, {count / seconds:.0f} a second")
        print("highest resident MB in each tenth: " + " ".join(f"{each / 2**20:.0f}" for each in tenths))
        # A tenth that passed between two measurements has no figure.
        growth = max(tenths[1:]) - tenths[0]
        assert tenths[0] > 0 and max(tenths[1:]) > 0, "the messages passed too fast to be watched: take more"
        assert growth <= GROWTH_MAX, f"the memory grew by {growth} bytes"
    finally:
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000_000)
    parser.add_argument("--command", default=".build/release/tidemark")
    arguments = parser.parse_args()
    os.environ["PATH"] += os.pathsep + "/usr/sbin"
    if shutil.which("nats-server") is None:
        sys.exit("nats-server is not installed: make deps installs it")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-memory-"))
    try:
        play(str(pathlib.Path(arguments.command).resolve()), arguments.messages, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
