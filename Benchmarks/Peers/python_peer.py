#!/usr/bin/env python3
"""A dictionary of parsed objects: what a programmer writes in Python in an afternoon.

What it does: `json.loads` of each line, a dictionary id → object, a dictionary id → the lists that contain it, and
for each of these lists one call of a function that counts. A delete also removes the id from the lists.
`--store sqlite` writes the resource's bytes, cut out of the line unchanged, to SQLite in transactions of 1,000 lines;
the journal is write-ahead and `synchronous` is FULL, so that committed data survives a loss of power.

Why it is fair: one thread, standard library only; no object is copied or serialized again. An observer is called with
the existing object; no task has to be woken, and nothing is decoded for it.

What it does not do: it compares nothing, so it would report an equal write; it has no order of events, gaps, memory
limits or rollback of edits; with SQLite, observers are notified before the transaction is committed.
"""
import json
import pathlib
import sqlite3
import sys

from peer import (BATCH, Workload, answer_time, arguments, disk_bytes, list_times, paced, peak_bytes, percentiles,
                  rate_for, sliced, timed, write)

SCHEMA = """
CREATE TABLE entity (id TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE member (list INTEGER, position INTEGER, id TEXT NOT NULL, PRIMARY KEY (list, position)) WITHOUT ROWID;
"""
UPSERT = "INSERT INTO entity VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
LIST = "SELECT body FROM member JOIN entity USING (id) WHERE list = ? ORDER BY position"


class NoStore:
    def note(self, line):
        pass

    def commit(self):
        pass


class SQLiteStore:
    """Writes changes to SQLite after the dictionary, one transaction for each 1,000 lines."""

    def __init__(self, path):
        self.connection = connect(path)
        self.connection.executescript(SCHEMA)
        self.changes = []
        self.deletes = []

    def note(self, line):
        identifier, body = sliced(line)
        identifier = identifier.decode()
        if body is None:
            # A deleted file is never changed again, so the changes of a batch may be written first.
            self.deletes.append((identifier,))
        else:
            self.changes.append((identifier, body))
        if len(self.changes) + len(self.deletes) >= BATCH:
            self.commit()

    def commit(self):
        with self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany(UPSERT, self.changes)
            self.connection.executemany("DELETE FROM entity WHERE id = ?", self.deletes)
        self.changes, self.deletes = [], []

    def put_lists(self, lists):
        rows = ((number, position, identifier) for number, identifiers in enumerate(lists)
                for position, identifier in enumerate(identifiers))
        with self.connection:
            self.connection.executemany("INSERT INTO member VALUES (?, ?, ?)", rows)


class Cache:
    def __init__(self, store):
        self.store = store
        self.entities = {}
        self.lists = []
        self.lists_of = {}
        self.observer = None

    def put_lists(self, lists):
        self.lists = [list(identifiers) for identifiers in lists]
        for number, identifiers in enumerate(lists):
            for identifier in identifiers:
                self.lists_of.setdefault(identifier, []).append(number)

    def apply(self, line):
        ((kind, payload),) = json.loads(line)["event"].items()
        if kind == "ResourceChanged":
            entity = payload["resource"]
            identifier = entity["id"]
            self.entities[identifier] = entity
        else:
            entity = None
            identifier = payload["resource_id"]
            self.entities.pop(identifier, None)
        for number in self.lists_of.get(identifier, ()):
            if entity is None:
                self.lists[number].remove(identifier)
            self.observer(number, identifier, entity)
        self.store.note(line)

    def apply_all(self, lines):
        for line in lines:
            self.apply(line)
        self.store.commit()

    def read(self, number):
        return [self.entities[identifier] for identifier in self.lists[number]]


class Counter:
    """Observes all lists."""

    def __init__(self):
        self.count = 0

    def __call__(self, number, identifier, entity):
        self.count += 1


def connect(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def answer(path, identifier, number):
    """Runs in a new process: opens the file and returns one entity, or a list, as objects."""
    connection = connect(path)
    if number is None:
        bodies = connection.execute("SELECT body FROM entity WHERE id = ?", (identifier,)).fetchall()
    else:
        bodies = connection.execute(LIST, (number,)).fetchall()
    print(len([json.loads(body) for (body,) in bodies]) or "", flush=True)


def latencies(cache, lines, rate):
    from time import perf_counter
    times = []
    due_now = 0.0

    def observe(number, identifier, entity):
        times.append(perf_counter() - due_now)

    def handle(line, due):
        nonlocal due_now
        due_now = due
        cache.apply(line)

    cache.observer = observe
    paced(lines, rate, handle)
    cache.store.commit()
    return percentiles(times)


def main():
    parser = arguments(__doc__.split("\n")[0], store=["none", "sqlite"])
    options = parser.parse_args()
    workload = Workload(options.workload)
    path = options.scratch / "peer.db"
    is_stored = options.store == "sqlite"
    cache = Cache(SQLiteStore(path) if is_stored else NoStore())

    load = timed(lambda: cache.apply_all(workload.load()))
    cache.put_lists(workload.lists)
    if is_stored:
        cache.store.put_lists(workload.lists)
    counter = cache.observer = Counter()
    update = timed(lambda: cache.apply_all(workload.changes()))
    memory = peak_bytes()
    update_per_second = workload.count("update", "delete") / update
    told = counter.count
    rate = rate_for(update_per_second)
    p50, p99 = latencies(cache, list(workload.lines("paced"))[:int(rate * 2)], rate)
    cache.observer = Counter()
    first, again = list_times(workload.lists, workload.lines("touch"), cache.apply, cache.read)

    figures = {}
    if is_stored:
        cache.store.commit()
        cache.store.connection.close()
        figures["disk_bytes"] = disk_bytes(options.scratch)
        command = [sys.executable, __file__, "--answer", path]
        figures["cold_start_ms"] = answer_time([*command, cache.lists[0][0]])
        figures["first_answer_ms"] = answer_time([*command, "0", "--list"])
    write(
        name="python-sqlite" if is_stored else "python", load_per_second=workload.count("load") / load,
        update_per_second=update_per_second, observers=len(workload.lists), notifications=told, latency_p50_us=p50,
        latency_p99_us=p99, latency_rate=rate, memory_bytes=memory, list_ms=first, list_unchanged_ms=again,
        list_decoded_ms=first, **figures)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        is_list = "--list" in sys.argv
        answer(pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[3]) if is_list else None)
    else:
        main()
