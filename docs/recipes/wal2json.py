"""Postgres logical decoding to Tidemark: lines of the output plugin wal2json become events.

    python3 docs/recipes/wal2json.py .build/debug/tidemark

In service the lines come from

    pg_recvlogical -d shop --slot tidemark --start -o format-version=2 -o include-lsn=true -f - | your-program | tidemark ingest …

Here they are recorded ones. A transaction becomes one unit: its events take effect together. The number of an event is
made of the place of its commit in the write-ahead log, so a slot that repeats what was sent before repeats the numbers,
and the cache drops the duplicates.
"""
import json
import subprocess
import sys
import tempfile

# Two transactions in format version 2: an object for each begin, change and commit.
LINES = """
{"action":"B","lsn":"0/16B2D50"}
{"action":"I","lsn":"0/16B2D50","schema":"public","table":"photo","columns":[{"name":"id","type":"integer","value":1},{"name":"name","type":"text","value":"Sea"},{"name":"stars","type":"integer","value":3}]}
{"action":"I","lsn":"0/16B2E10","schema":"public","table":"album","columns":[{"name":"id","type":"text","value":"summer"},{"name":"cover","type":"integer","value":1}]}
{"action":"C","lsn":"0/16B2E80"}
{"action":"B","lsn":"0/16B2F00"}
{"action":"U","lsn":"0/16B2F00","schema":"public","table":"photo","columns":[{"name":"id","type":"integer","value":1},{"name":"name","type":"text","value":"Sea at night"},{"name":"stars","type":"integer","value":5}],"identity":[{"name":"id","type":"integer","value":1}]}
{"action":"D","lsn":"0/16B2F60","schema":"public","table":"album","identity":[{"name":"id","type":"text","value":"summer"}]}
{"action":"C","lsn":"0/16B2FA8"}
"""

# The most changes of a transaction. With so many bits for their numbers, places up to 2^48 fit into 63 bits.
CHANGE_BITS = 15


def place(lsn):
    high, low = lsn.split("/")
    return int(high, 16) << 32 | int(low, 16)


def event(change):
    """Returns the event of a change. Every table needs a primary key `id`, and the identity that Postgres gives it."""
    if change["action"] == "D":
        key = next(column["value"] for column in change["identity"] if column["name"] == "id")
        return {"ResourceDeleted": {"resource_type": change["table"], "resource_id": key}}
    fields = {column["name"]: column["value"] for column in change["columns"]}
    return {"ResourceChanged": {"resource_type": change["table"], "resource": fields}}


def events(lines):
    """Turns the lines of wal2json into events with numbers. A transaction is held until its commit."""
    changes, last = [], 0
    for line in lines:
        change = json.loads(line)
        if change["action"] == "B":
            changes = []
        elif change["action"] in "IUD":
            changes.append(event(change))
            if len(changes) > 1 << CHANGE_BITS:
                raise SystemExit("a transaction has more changes than there are numbers for: raise CHANGE_BITS")
        elif change["action"] == "C":
            for index, body in enumerate(changes):
                sequence = (place(change["lsn"]) << CHANGE_BITS) + index
                # Numbers jump from commit to commit: `prev` says that nothing is missing between.
                unit = {"more": True} if index + 1 < len(changes) else {}
                yield {"library_id": "shop", "sequence": sequence, "prev": last, "event": body, **unit}
                last = sequence
        # Truncations and messages of the log ("T", "M") have no place here: feed a new file after a truncation.


def main(command):
    lines = "".join(json.dumps(event) + "\n" for event in events(LINES.split("\n")[1:-1]))
    with tempfile.TemporaryDirectory() as folder:
        database = folder + "/cache.db"

        def tidemark(*words, text=None):
            run = subprocess.run([command, *words, "--db", database], input=text, capture_output=True, text=True)
            assert run.returncode == 0, run.stderr
            return run.stdout

        summary = json.loads(tidemark("ingest", text=lines))
        assert summary["events"]["applied"] == 4 and summary["libraries"]["shop"]["state"] == "live", summary
        # The slot repeats the second transaction after a crash: nothing changes.
        again = json.loads(tidemark("ingest", text="".join(line + "\n" for line in lines.split("\n")[2:4])))
        assert again["events"]["applied"] == 0 and again["events"]["duplicate"] == 2, again
        exported = [json.loads(line)["resource"] for line in tidemark("export").splitlines()]
        assert exported == [{"id": 1, "name": "Sea at night", "stars": 5}], exported
        print("photo 1:", exported[0]["name"])


main(*(sys.argv[1:2] or ["tidemark"]))
