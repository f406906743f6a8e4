#!/usr/bin/env python3
"""Measures every peer with W in turn, and prints their medians side by side. Standard library only.

A round measures each peer once, in its own process and an empty folder. Each round begins with a different peer, so
that no peer always runs first. W is generated once and kept in the temporary folder; its hash is checked before each
use. The notifications sent, or counted instead, must match expected.json. A peer that is not installed is skipped, and
the result says why.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import peer as shared
import postgres_peer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SWIFT = "tidemark-peers"
TIMEOUT = 900
"""Timeout for one peer in one round, in seconds."""


class Peer:
    def __init__(self, name, about, command, program=None, version=None):
        self.name = name
        self.about = about
        self.command = command
        self.program = program
        self.version = version

    def missing(self):
        """Returns why the peer cannot be measured here; None if it can."""
        if self.program and not shutil.which(self.program):
            return f"{self.program} is not installed: make bench-peers installs it where apt-get can"
        return None


def script(name, *options):
    return lambda workload, scratch: [sys.executable, HERE / name, workload, scratch, *options]


def swift(name):
    def command(workload, scratch):
        return [swift_program(), name, "--workload", workload, "--scratch", scratch]
    return command


def swift_program():
    folder = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(folder.stdout.strip()) / SWIFT


POSTGRES = postgres_peer.binary("postgres")
PYTHON_VERSION = [sys.executable, "-c", "import sys, sqlite3; print(sys.version.split()[0], 'SQLite', sqlite3.sqlite_version)"]
PEERS = [
    Peer("tidemark", "This library over one SQLite file; 100 tasks observe decoded values.", swift("tidemark")),
    Peer("tidemark-small", "The same with 16 MB for entities in memory.", swift("tidemark-small")),
    Peer("tidemark-interactive", "The same with the flushes of a host that watches.", swift("tidemark-interactive")),
    Peer("naive", "Swift: JSONDecoder, a dictionary, queries gone through for each event, GRDB; closures observe.",
         swift("naive")),
    Peer("grdb", "Swift: GRDB records; nobody observes, notifications are counted by an index.", swift("grdb")),
    Peer("python", "A dictionary of parsed objects in memory; functions observe.",
         script("python_peer.py", "--store", "none"), version=PYTHON_VERSION),
    Peer("python-sqlite", "The same with SQLite behind it.", script("python_peer.py", "--store", "sqlite"),
         version=PYTHON_VERSION),
    Peer("redis-everysec", "Redis with opaque values and no index, synced every second; nobody observes.",
         script("redis_peer.py", "--fsync", "everysec"), "redis-server", ["redis-server", "--version"]),
    Peer("redis-always", "The same, synced before it answers.",
         script("redis_peer.py", "--fsync", "always"), "redis-server", ["redis-server", "--version"]),
    Peer("postgres", "PostgreSQL with jsonb; nobody observes, notifications are counted by a join.",
         script("postgres_peer.py"), POSTGRES, [POSTGRES, "--version"]),
]

# Which figures are better when higher, and which when lower.
COLUMNS = [
    ("load_per_second", "load/s", max), ("update_per_second", "update/s", max),
    ("latency_p50_us", "p50 µs", min), ("latency_p99_us", "p99 µs", min), ("memory_bytes", "memory MB", min),
    ("disk_bytes", "disk MB", min), ("list_ms", "list ms", min), ("list_unchanged_ms", "again ms", min),
    ("list_decoded_ms", "decoded ms", min), ("optimistic_us", "edit µs", min),
    ("optimistic_durable_us", "on disk µs", min), ("cold_start_ms", "cold ms", min),
    ("first_answer_ms", "cold list ms", min),
]
NUMBERS = [key for key in shared.KEYS if key != "name"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def prepared_workload(is_smoke):
    """Returns the folder of W, which is generated if it is missing or incomplete."""
    script_hash = hashlib.sha256((HERE / "workload.py").read_bytes()).hexdigest()[:12]
    name = f"tidemark-peers-{os.getuid()}-{script_hash}" + ("-smoke" if is_smoke else "")
    folder = pathlib.Path(tempfile.gettempdir()) / name
    if not is_whole(folder):
        say(f"writing W to {folder}")
        subprocess.run([sys.executable, HERE / "workload.py", folder, *(["--smoke"] if is_smoke else [])], check=True)
    return folder


def is_whole(folder):
    try:
        expected = json.loads((folder / "expected.json").read_text())["sha256"]
        for name, digest in expected.items():
            with open(folder / name, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    return False
        return True
    except FileNotFoundError:
        return False


def build():
    say(f"building {SWIFT}")
    subprocess.run(["swift", "build", "-c", "release", "--product", SWIFT], cwd=ROOT, stdout=sys.stderr, check=True)


def measure(peer, workload, expected):
    """Returns the figures of one peer. Raises RuntimeError if it fails, or its notifications are unexpected."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="tidemark-peer-"))
    try:
        # A server that runs as another user needs access.
        scratch.chmod(0o755)
        figures = json.loads(output(peer.command(workload, scratch)))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    told = figures.get("notifications")
    wanted = expected["notifications"]
    if told is None and figures.get("observers"):
        raise RuntimeError("has observers, and does not say what they were told")
    if told is not None and told != wanted:
        raise RuntimeError(f"told its observers {told} times, not {wanted}")
    return figures


def output(command):
    """Returns the output of a peer, and kills every process that it left running, however it ended."""
    # Files instead of pipes: a server that outlives its peer would keep a pipe open.
    with tempfile.TemporaryFile("w+") as text, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=text, stderr=errors, start_new_session=True)
        try:
            status = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"took more than {TIMEOUT} s") from error
        finally:
            # A server that the peer started is in the same process group.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        text.seek(0)
        errors.seek(0)
        if status != 0:
            raise RuntimeError(f"ended with {status}: {errors.read().strip()[-400:]}")
        return text.read()


def summary(figures):
    """Returns the median and range of each figure; None if there are no values."""
    result = {}
    for key in NUMBERS:
        values = [each[key] for each in figures if each.get(key) is not None]
        result[key] = {
            "median": statistics.median(values), "min": min(values), "max": max(values),
        } if values else None
    return result


def version(peer):
    if peer.version is None:
        return None
    return subprocess.run(peer.version, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def measure_all(peers, workload, rounds):
    expected = json.loads((workload / "expected.json").read_text())
    skipped = {peer.name: why for peer in peers if (why := peer.missing())}
    for name, why in skipped.items():
        say(f"{name}: skipped, {why}")
    present = [peer for peer in peers if peer.name not in skipped]
    figures = {peer.name: [] for peer in present}
    failed = {}
    for number in range(rounds):
        shift = number * max(1, len(present) // rounds) % max(1, len(present))
        for peer in present[shift:] + present[:shift]:
            if peer.name in failed:
                continue
            start = time.monotonic()
            try:
                figures[peer.name].append(measure(peer, workload, expected))
            except (RuntimeError, json.JSONDecodeError) as error:
                failed[peer.name] = str(error)
                say(f"{peer.name}: {error}")
                continue
            say(f"round {number + 1} of {rounds}: {peer.name}, {time.monotonic() - start:.1f} s")
    rows = []
    for peer in peers:
        row = {"name": peer.name, "about": peer.about}
        if peer.name in skipped:
            row["skipped"] = skipped[peer.name]
        elif peer.name in failed:
            row["failed"] = failed[peer.name]
        else:
            row["version"] = version(peer)
            row.update(summary(figures[peer.name]))
        rows.append(row)
    return {"workload": expected["sha256"]["all.ndjson"], "rounds": rounds, "peers": rows}


def shown(key, value):
    if value is None:
        return "–"
    if key.endswith("_bytes"):
        return f"{value / 1e6:.1f}"
    if key.endswith("_per_second"):
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 1_000 else f"{value:,.0f}"


def median(row, key):
    return row[key]["median"] if row.get(key) else None


def table(result):
    """Returns a table of the medians, and of this library's ratio to the best of the others."""
    rows = [row for row in result["peers"] if "version" in row]
    lines = [["", *(title for _, title, _ in COLUMNS)]]
    for row in rows:
        lines.append([row["name"], *(shown(key, median(row, key)) for key, _, _ in COLUMNS)])
    own = next((row for row in rows if row["name"] == "tidemark"), None)
    others = [row for row in rows if not row["name"].startswith("tidemark")]
    if own and others:
        groups = [("best other", others),
                  ("best other that observes", [row for row in others if median(row, "observers")])]
        for title, group in groups:
            best = [(key, better([row for row in group if median(row, key) is not None], key, which))
                    for key, _, which in COLUMNS]
            lines.append([title, *(row["name"] if row else "–" for _, row in best)])
            lines.append([f"tidemark / {title}", *(ratio(own, row, key) for key, row in best)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]
        print("  ".join(cells))
    print("Of rates a ratio above 1 is better, of all others one below 1.")
    for row in result["peers"]:
        for why in ("skipped", "failed"):
            if why in row:
                print(f"{row['name']}: {why}, {row[why]}")


def better(rows, key, which):
    return which(rows, key=lambda row: median(row, key)) if rows else None


def ratio(own, other, key):
    value = median(own, key)
    if value is None or other is None:
        return "–"
    return f"{value / median(other, key):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="a fiftieth of W, one round")
    parser.add_argument("--rounds", type=int, help="5, or 1 with --smoke")
    parser.add_argument("--only", help="names of peers, with commas between them")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / ".build" / "bench" / "peers.json")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else [peer.name for peer in PEERS]
    unknown = set(only) - {peer.name for peer in PEERS}
    if unknown:
        parser.error(f"no such peer: {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in PEERS)}")
    peers = [peer for peer in PEERS if peer.name in only]
    workload = prepared_workload(options.smoke)
    build()
    say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; W is {workload}")
    result = measure_all(peers, workload, options.rounds or (1 if options.smoke else 5))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    table(result)
    say(f"written to {options.out}")
    if any("failed" in row for row in result["peers"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
