"""A watcher of files that feeds `file` entities, as Spacedrive's index does.

    python3 docs/recipes/files.py .build/debug/tidemark

Each round compares a folder with what was seen before and sends the difference: one batch of changed files, and a delete
for each that is gone. A list with a `scope` shows one directory, and follows by itself. The state of the last round is
read from the cache, so a restart sends only what changed meanwhile.
"""
import itertools
import os
import sys
import tempfile
import uuid

from session import Session

NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")


def scan(root):
    """Returns the entity of each file below a folder, by id. The id is made of the path."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            shown = "/" + os.path.relpath(path, root)
            status = os.stat(path)
            id = str(uuid.uuid5(NAMESPACE, shown))
            found[id] = {
                "id": id, "name": name, "size": status.st_size, "modified_at": status.st_mtime_ns,
                "sd_path": {"Physical": {"device_slug": "this-machine", "path": shown}}}
    return found


class Watcher:
    """Sends the difference between the cache and a folder."""

    def __init__(self, cache, root):
        self.cache, self.root = cache, root
        self.numbers = itertools.count((cache.cursor(0, "files")[0] or 0) + 1) if self._stored() else itertools.count(1)

    def _stored(self):
        entities, after = {}, None
        while True:
            page = self.cache.call("entity.list", resource_type="file", library_id="files", limit=1000,
                                   **({"after": after} if after else {}))
            entities.update({file["id"]: file for file in page["entities"]})
            after = page["next"]
            if after is None:
                return entities

    def round(self):
        """Sends what changed; returns how many files were changed and deleted."""
        stored, found = self._stored(), scan(self.root)
        changed = [file for id, file in found.items() if stored.get(id) != file]
        gone = [id for id in stored if id not in found]
        events = [{"ResourceDeleted": {"resource_type": "file", "resource_id": id}} for id in gone]
        if changed:
            # `entry` is what the index calls a file: the profile maps it.
            events.append({"ResourceChangedBatch": {"resource_type": "entry", "resources": changed}})
        for event in events:
            self.cache.send({"library_id": "files", "sequence": next(self.numbers), "event": event})
        return len(changed), len(gone)


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        root, database = folder + "/root", folder + "/cache.db"
        os.makedirs(root + "/Photos/2026")
        for name in ["Photos/a.jpg", "Photos/2026/b.jpg", "notes.txt"]:
            with open(f"{root}/{name}", "w") as file:
                file.write(name)

        def open_cache():
            return Session(command, database, "--profile", "spacedrive", "--upstream", "none")

        cache = open_cache()
        photos = {"path": "/Photos", "recursive": True}
        cache.call("query.put", method="directory", input=photos, resource_type="file", library_id="files", resources=[],
                   membership={"resource_type": "file", "scope": photos, "order": [{"path": "/name"}]}, local=True)
        read = cache.call("query.observe", method="directory", input=photos, library_id="files", policy="cacheOnly")
        assert read["entities"] == []
        assert Watcher(cache, root).round() == (3, 0)

        def names():
            read = cache.call("query.read", method="directory", input=photos, library_id="files", policy="cacheOnly")
            return [file["name"] for file in read["entities"]]

        assert names() == ["a.jpg", "b.jpg"]
        cache.close()

        # While nobody watched: one file is new, one is gone, one is renamed.
        cache = open_cache()
        os.remove(root + "/Photos/a.jpg")
        os.rename(root + "/notes.txt", root + "/Photos/notes.txt")
        assert Watcher(cache, root).round() == (1, 2)
        assert Watcher(cache, root).round() == (0, 0)
        print("/Photos:", ", ".join(names()))
        cache.close()


main(*(sys.argv[1:2] or ["tidemark"]))
