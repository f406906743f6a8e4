"""Shared by the peers in Python: W's lines, the schedule of single events, sizes, and the printed result."""
import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import time

BATCH = 1_000
"""Lines per transaction, or per write to a server."""
RATE_MAX = 10_000
"""Events per second when each is timed separately; a slower peer gets half of its maximum rate."""

KEYS = [
    "name", "load_per_second", "update_per_second", "observers", "notifications", "latency_p50_us", "latency_p99_us",
    "latency_rate", "memory_bytes", "disk_bytes", "list_ms", "list_unchanged_ms", "list_decoded_ms", "optimistic_us",
    "optimistic_durable_us", "cold_start_ms", "first_answer_ms",
]

CHANGE_HEAD = b'{"event":{"ResourceChanged":{"resource_type":"file","resource":'
DELETE_HEAD = b'{"event":{"ResourceDeleted":{"resource_type":"file","resource_id":"'
ID_LENGTH = 36
ID_START = len(CHANGE_HEAD) + len(b'{"id":"')


class Workload:
    """The files written by workload.py. Every peer reads lines from the file as it uses them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.expected = json.loads((self.folder / "expected.json").read_text())
        self.lists = json.loads((self.folder / "queries.json").read_text())

    def lines(self, name):
        with open(self.folder / f"{name}.ndjson", "rb") as file:
            yield from file

    def load(self):
        return self.lines("load")

    def changes(self):
        """The updates, then the deletes."""
        return itertools.chain(self.lines("update"), self.lines("delete"))

    def count(self, *names):
        return sum(self.expected["events"][name] for name in names)


def sliced(line):
    """Returns a line's id and the bytes of its resource, None for a delete.

    W writes every envelope the same way, so both are at known offsets: this is the least work that identifies a line's
    entity, and much less than parsing it.
    """
    if line.startswith(CHANGE_HEAD):
        return line[ID_START:ID_START + ID_LENGTH], line[len(CHANGE_HEAD):line.rindex(b'}},"library_id"')]
    return line[len(DELETE_HEAD):len(DELETE_HEAD) + ID_LENGTH], None


def batched(items, count=BATCH):
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, count)):
        yield batch


def timed(body):
    """Returns how long a call takes, in seconds."""
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


def paced(lines, rate, handle):
    """Calls `handle` with each line when it is due, and with its due time.

    The schedule is absolute: a late call also delays the following ones. Waits by spinning, so that
    no timer is measured.
    """
    start = time.perf_counter()
    for number, line in enumerate(lines):
        due = start + number / rate
        while time.perf_counter() < due:
            pass
        handle(line, due)


def rate_for(update_per_second):
    return min(RATE_MAX, update_per_second / 2)


def percentiles(seconds):
    """Returns p50 and p99 in microseconds."""
    ordered = sorted(seconds)
    return [ordered[int(len(ordered) * share)] * 1e6 for share in (0.5, 0.99)]


def list_times(lists, lines, change, read, count=len):
    """Returns the median times in ms of reading a list after one of its entities changed, and of reading it again.

    `change` applies a line and is not timed. `read` takes a list's number and returns its entities in order. `count`
    returns the number of entities in a result of `read`, and is not timed.
    """
    changed, unchanged = [], []
    for number, line in enumerate(lines):
        change(line)
        for times in (changed, unchanged):
            start = time.perf_counter()
            entities = read(number)
            times.append(time.perf_counter() - start)
            if not 0 < count(entities) <= len(lists[number]):
                raise SystemExit(f"list {number} gave {count(entities)} entities, of {len(lists[number])}")
    return statistics.median(changed) * 1e3, statistics.median(unchanged) * 1e3


def peak_bytes(process="self"):
    """Returns the peak resident memory of a process; None if unknown."""
    with open(f"/proc/{process}/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def disk_bytes(folder):
    """Returns the total size of the files in a folder."""
    return sum(
        os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names
        if os.path.isfile(os.path.join(path, name)))


def answer_time(command):
    """Returns the milliseconds from the start of a process to its first line, which must not be empty."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        line = process.stdout.readline()
        took = time.perf_counter() - start
        process.stdout.read()
    if not line.strip() or process.returncode != 0:
        raise SystemExit(f"{command} gave no answer")
    return took * 1e3


def arguments(description, **choices):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("workload", type=pathlib.Path, help="a folder that workload.py wrote")
    parser.add_argument("scratch", type=pathlib.Path, help="an empty folder")
    for name, values in choices.items():
        parser.add_argument(f"--{name}", choices=values, required=True)
    return parser


def write(**figures):
    """Prints the result of this peer; missing figures are null."""
    unknown = set(figures) - set(KEYS)
    assert not unknown, unknown
    print(json.dumps({key: figures.get(key) for key in KEYS}), flush=True)
