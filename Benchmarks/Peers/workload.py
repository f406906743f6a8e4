#!/usr/bin/env python3
"""Writes workload W, with which every peer is measured. Standard library only.

W is a library of 100,000 files of about 500 bytes each, and its events: each file is created once, then there are
200,000 changes of one file each, skewed so that the n-th most popular file gets a share of 1/n, then 5,000 deletes. 100
lists have 1,000 files each, in an order of their own. `--smoke` writes a fiftieth of everything, and two lists of 20
files.

    load.ndjson     a line for each file
    update.ndjson   the changes; each line has the whole file
    delete.ndjson   the deletes
    all.ndjson      the three in one, sequences 1 … 305,000
    queries.json    the lists, as ids
    paced.ndjson    20,000 more changes of listed files that still exist; `size` is the change's number from 0
    touch.ndjson    one more change for each list, of the first of its files that still exists
    expected.json   the number of (change, list) pairs: the notifications that observers of all lists must get

One seed generates everything up to the lists, another one the rest. The output is always the same; for the full size
this is checked.
"""
import argparse
import bisect
import dataclasses
import datetime
import hashlib
import itertools
import json
import pathlib
import random
import sys
import uuid

SEED = 20_260_101
PACED_SEED = 20_260_202
EXPECTED_SHA256 = {
    "all.ndjson": "c2fad2593a79d321d94a02a9868f4bdf420a182fbd7e041a69684d0dacf86726",
    "queries.json": "a63bc514d79285ceb4bad7f69eabd31bf19a967a34bde794b3510f25a7032eaa",
}

KIND_EXTENSIONS = {
    "image": "jpg", "video": "mp4", "document": "pdf", "audio": "flac", "archive": "zip", "code": "swift",
}
KINDS = list(KIND_EXTENSIONS)
WORDS = (
    "alpha beach cabin delta ember forest garden harbor island jungle kernel lemon "
    "meadow north ocean piano quartz river summer tundra umbra valley winter yellow zephyr"
).split()
TAGS = "red blue work home 2024 2025 raw todo fav trip tax draft".split()
FOLDERS = [f"/Users/ada/Pictures/{outer}/{inner}" for outer in WORDS[:12] for inner in WORDS[12:]]
SIZE_LIMIT = 5_000_000_000
EPOCH = 1_700_000_000


@dataclasses.dataclass(frozen=True)
class Scale:
    """The number of files, changes and lists."""

    entities: int = 100_000
    updates: int = 200_000
    deletes: int = 5_000
    lists: int = 100
    listed: int = 1_000
    paced: int = 20_000

    def divided(self, by):
        return Scale(**{field.name: getattr(self, field.name) // by for field in dataclasses.fields(self)})


def timestamp(number):
    """Returns the time a number of seconds after the workload's start, with the same number as its microseconds."""
    moment = datetime.datetime.fromtimestamp(EPOCH + number, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{number % 1_000_000:06d}Z"


class Draw:
    """Generates random values of W."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def uuid(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def name(self, index):
        first = self.random.choice(WORDS)
        return f"{first}_{self.random.choice(WORDS)}_{index:05d}"

    def tags(self):
        count = self.random.randrange(0, 4)
        return self.random.sample(TAGS, count)

    def size(self):
        return self.random.randrange(1, SIZE_LIMIT)

    def file(self, index):
        """Returns a new file. The order of the random draws is part of W."""
        kind = self.random.choice(KINDS)
        name = self.name(index)
        fingerprint = f"{self.random.getrandbits(256):064x}"
        created = self.random.randrange(0, 30_000_000)
        extension = KIND_EXTENSIONS[kind]
        return {
            "id": self.uuid(),
            "name": name,
            "path": f"{self.random.choice(FOLDERS)}/{name}.{extension}",
            "extension": extension,
            "size": self.size(),
            "kind": kind,
            "tags": self.tags(),
            "favorite": self.random.random() < 0.05,
            "created_at": timestamp(created),
            "modified_at": timestamp(created + self.random.randrange(0, 1_000_000)),
            "content_identity": {
                "uuid": self.uuid(),
                "kind": kind,
                "integrity_hash": fingerprint,
                "entry_count": self.random.randrange(1, 4),
            },
        }

    def edit(self, file, index):
        """Changes one member of a file: mostly its name, else its tags or size."""
        share = self.random.random()
        if share < 0.5:
            file["name"] = self.name(index)
        elif share < 0.8:
            file["tags"] = self.tags()
        else:
            file["size"] = self.size()


class Popularity:
    """Draws indexes in a shuffled order of popularity, the n-th with a share of 1/n."""

    def __init__(self, draw, count):
        self.random = draw.random
        self.order = list(range(count))
        self.random.shuffle(self.order)
        self.sums = list(itertools.accumulate(1 / rank for rank in range(1, count + 1)))

    def next(self):
        return self.order[bisect.bisect_left(self.sums, self.random.random() * self.sums[-1])]


class Log:
    """Numbers events of one library and writes them as lines."""

    def __init__(self, library):
        self.library = library
        self.sequence = 0

    def line(self, kind, payload):
        self.sequence += 1
        envelope = {"event": {kind: payload}, "library_id": self.library, "sequence": self.sequence}
        return json.dumps(envelope, separators=(",", ":")).encode() + b"\n"

    def changed(self, file):
        return self.line("ResourceChanged", {"resource_type": "file", "resource": file})

    def deleted(self, identifier):
        return self.line("ResourceDeleted", {"resource_type": "file", "resource_id": identifier})


class ListCounts:
    """Counts in how many lists each file is, and the (change, list) pairs of the events so far."""

    def __init__(self, lists):
        self.lists_of = {}
        for members in lists:
            for index in members:
                self.lists_of[index] = self.lists_of.get(index, 0) + 1

    def of(self, index):
        return self.lists_of.get(index, 0)


def write_lines(path, lines):
    with open(path, "wb") as output:
        output.writelines(lines)


def write_all(folder, scale):
    """Writes the files and returns the contents of expected.json."""
    draw = Draw(SEED)
    log = Log(draw.uuid())
    draw.uuid()  # A device that does not occur in any line.
    files = [draw.file(index) for index in range(scale.entities)]
    write_lines(folder / "load.ndjson", map(log.changed, files))

    popularity = Popularity(draw, scale.entities)
    updated = []

    def updates():
        for number in range(scale.updates):
            index = popularity.next()
            draw.edit(files[index], index)
            files[index]["modified_at"] = timestamp(31_000_000 + number)
            updated.append(index)
            yield log.changed(files[index])

    write_lines(folder / "update.ndjson", updates())
    deleted = draw.random.sample(range(scale.entities), scale.deletes)
    write_lines(folder / "delete.ndjson", (log.deleted(files[index]["id"]) for index in deleted))
    lists = [draw.random.sample(range(scale.entities), scale.listed) for _ in range(scale.lists)]
    identifiers = [[files[index]["id"] for index in members] for members in lists]
    (folder / "queries.json").write_text(json.dumps(identifiers))

    paced, touched = changes_after(set(deleted), lists, scale)
    write_lines(folder / "paced.ndjson", marked(log, files, paced))
    write_lines(folder / "touch.ndjson", marked(log, files, touched))
    counts = ListCounts(lists)
    pairs = {name: sum(map(counts.of, indexes))
             for name, indexes in [("update", updated), ("delete", deleted), ("paced", paced), ("touch", touched)]}
    return {
        "lists": scale.lists,
        "entities": scale.entities - scale.deletes,
        "events": {"load": scale.entities, "update": scale.updates, "delete": scale.deletes, "paced": scale.paced,
                   "touch": len(touched)},
        "pairs": pairs,
        "notifications": pairs["update"] + pairs["delete"],
    }


def changes_after(deleted, lists, scale):
    """Returns the files that change after W: those that are timed one by one, and one for each list."""
    generator = random.Random(PACED_SEED)
    alive = [[index for index in members if index not in deleted] for members in lists]
    paced = [generator.choice(generator.choice(alive)) for _ in range(scale.paced)]
    return paced, [members[0] for members in alive]


def marked(log, files, indexes):
    """Returns changes that are numbered by their `size`."""
    for number, index in enumerate(indexes):
        files[index]["size"] = number
        files[index]["modified_at"] = timestamp(32_000_000 + log.sequence)
        yield log.changed(files[index])


def join(folder):
    """Joins the three parts to all.ndjson."""
    with open(folder / "all.ndjson", "wb") as output:
        for name in ("load", "update", "delete"):
            output.write((folder / f"{name}.ndjson").read_bytes())


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main():
    parser = argparse.ArgumentParser(description="Writes workload W.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--smoke", action="store_true", help="a fiftieth of everything")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    expected = write_all(folder, Scale().divided(50) if arguments.smoke else Scale())
    join(folder)
    expected["sha256"] = {name: sha256(folder / name) for name in EXPECTED_SHA256}
    if not arguments.smoke and expected["sha256"] != EXPECTED_SHA256:
        sys.exit(f"{folder} does not hold W: {expected['sha256']}, not {EXPECTED_SHA256}; is this another Python?")
    # Written last: if it exists, all the others do.
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
