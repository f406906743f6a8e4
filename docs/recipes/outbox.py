"""A backend with an outbox table as the log: Rails, Django, Express or any other that has transactions.

    python3 docs/recipes/outbox.py .build/debug/tidemark

SQLite stands in for the backend's database. Each change writes its row and a row of the outbox in one transaction. The
feed sends the outbox in its order; the cache asks for what it missed. A transaction that is rolled back leaves a number
that never existed: `covered_through` says so, and nothing is lost.
"""
import json
import sqlite3
import sys
import tempfile

from session import Session

SCHEMA = """
CREATE TABLE photo (id TEXT PRIMARY KEY, name TEXT, stars INTEGER);
CREATE TABLE outbox (sequence INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, type TEXT, id TEXT, body TEXT);
"""


class Backend:
    """A photo service with a database. Its numbers come from the outbox."""

    def __init__(self):
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        self.database.executescript(SCHEMA)

    def save(self, photo, fails=False):
        """Writes a photo and what the log says about it, or neither."""
        self.database.execute("BEGIN")
        self.database.execute("REPLACE INTO photo VALUES (:id, :name, :stars)", photo)
        self.database.execute(
            "INSERT INTO outbox (kind, type, id, body) VALUES ('changed', 'photo', ?, ?)", (photo["id"], json.dumps(photo)))
        self.database.execute("ROLLBACK" if fails else "COMMIT")

    def delete(self, id):
        self.database.execute("BEGIN")
        self.database.execute("DELETE FROM photo WHERE id = ?", (id,))
        self.database.execute("INSERT INTO outbox (kind, type, id) VALUES ('deleted', 'photo', ?)", (id,))
        self.database.execute("COMMIT")

    def skip(self):
        """Takes a number that no row will have, as a rolled-back transaction does in databases with sequences."""
        self.database.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'outbox'")

    def events(self, start):
        rows = self.database.execute("SELECT * FROM outbox WHERE sequence >= ? ORDER BY sequence LIMIT 1000", (start,))
        for sequence, kind, type, id, body in rows:
            if kind == "changed":
                event = {"ResourceChanged": {"resource_type": type, "resource": json.loads(body)}}
            else:
                event = {"ResourceDeleted": {"resource_type": type, "resource_id": id}}
            yield {"library_id": "shop", "sequence": sequence, "event": event}

    def events_since(self, params):
        """Answers the cache's request for missing events. Up to the last one the log is complete."""
        events = list(self.events(params["sequence"]))
        return {"events": events, "covered_through": events[-1]["sequence"] if events else params["sequence"] - 1}


def main(command):
    backend = Backend()
    with tempfile.TemporaryDirectory() as folder:
        cache = Session(command, folder + "/cache.db", handlers={"events.since.v1": backend.events_since})
        for number in "123":
            backend.save({"id": number, "name": f"photo {number}", "stars": int(number)})
        first, second, third = backend.events(1)
        # The second event gets lost on the way: the cache asks for it.
        cache.send(first)
        cache.send(third)
        assert cache.cursor(3, "shop") == (3, "live")
        assert cache.entity("photo", "2", "shop")["stars"] == 2

        # A number that never existed is no loss.
        backend.save({"id": "9", "name": "never", "stars": 9}, fails=True)
        backend.skip()
        backend.delete("1")
        for event in backend.events(4):
            cache.send(event)
        assert cache.cursor(5, "shop") == (5, "live")
        assert cache.entity("photo", "1", "shop") is None

        # After a restart the feed goes on behind the cache's position; sending too much does no harm.
        cache.close()
        cache = Session(command, folder + "/cache.db", handlers={"events.since.v1": backend.events_since})
        position = cache.cursor(0, "shop")[0]
        backend.save({"id": "2", "name": "renamed", "stars": 2})
        for event in backend.events(position):
            cache.send(event)
        assert cache.cursor(6, "shop") == (6, "live")
        print("photo 2:", cache.entity("photo", "2", "shop")["name"])
        cache.close()


main(*(sys.argv[1:2] or ["tidemark"]))
