#!/usr/bin/env python3
"""A host in Python: runs Tidemark as a child, feeds it events, answers its requests, observes a list, edits.

Usage: host.py PATH-OF-TIDEMARK
Needs nothing but Python 3.8 or later.
"""
import json
import subprocess
import sys
import tempfile
import threading
import time

# The log of a server. The stream below leaves out sequence 2, and Tidemark requests it.
LOG = [
    {"sequence": 1, "event": {"ResourceChanged": {"resource_type": "photo", "resource": {"id": "p1", "name": "Harbour", "stars": 3}}}},
    {"sequence": 2, "event": {"ResourceChanged": {"resource_type": "photo", "resource": {"id": "p2", "name": "Dunes", "stars": 5}}}},
    {"sequence": 3, "event": {"ResourceChanged": {"resource_type": "photo", "resource": {"id": "p1", "name": "Harbour", "stars": 4}}}},
]


class Tidemark:
    """One session. A thread reads Tidemark's output and answers its requests; `request` waits for a result."""

    def __init__(self, path, database, handlers, on_notification):
        self.process = subprocess.Popen(
            [path, "run", "--db", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.handlers = handlers
        self.on_notification = on_notification
        self.answers = {}
        self.arrived = threading.Condition()
        self.write_lock = threading.Lock()
        self.next_id = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def send(self, value):
        with self.write_lock:
            self.process.stdin.write(json.dumps(value).encode() + b"\n")
            self.process.stdin.flush()

    def event(self, event):
        self.send(event)

    def request(self, method, params):
        with self.arrived:
            self.next_id += 1
            own = self.next_id
        self.send({"jsonrpc": "2.0", "id": own, "method": method, "params": params})
        with self.arrived:
            while own not in self.answers:
                if not self.arrived.wait(timeout=30):
                    raise TimeoutError(method)
            answer = self.answers.pop(own)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        """Ends the session: Tidemark finishes pending work, writes everything to disk and exits with 0."""
        self.process.stdin.close()
        self.reader.join()
        return self.process.wait()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()
            elif "id" in message:
                self._answer(message)
            else:
                self.on_notification(message["method"], message["params"])

    def _answer(self, message):
        handler = self.handlers.get(message["method"])
        if handler is None:
            error = {"code": -32601, "message": f"no method {message['method']}"}
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": handler(message["params"])})


def apply_patch(elements, patch):
    """Applies a JSON Patch (RFC 6902); Tidemark only sends steps over whole elements."""
    for step in patch:
        index = int(step["path"][1:])
        if step["op"] == "add":
            elements.insert(index, step["value"])
        elif step["op"] == "remove":
            del elements[index]
        elif step["op"] == "replace":
            elements[index] = step["value"]
        elif step["op"] == "move":
            elements.insert(index, elements.pop(int(step["from"][1:])))


def events_since(params):
    return {"events": [event for event in LOG if event["sequence"] >= params["sequence"]], "covered_through": 3}


def fetch(params):
    # With this rule, events keep the list up to date from now on: the best photos first.
    return {
        "resource_type": "photo", "resources": [], "as_of": 0,
        "membership": {"resource_type": "photo", "order": [{"path": "/stars", "direction": "desc"}]},
    }


PERFORMED = {}


def perform(params):
    # A mutation may be sent again if its response was lost: the server performs each pending id once.
    if params["pending_id"] not in PERFORMED:
        stored = {"id": params["input"]["id"], "name": "Harbour", "stars": params["input"]["stars"]}
        PERFORMED[params["pending_id"]] = {"confirmed": stored, "sequence": 4}
    return PERFORMED[params["pending_id"]]


def main():
    shown = []
    lock = threading.Lock()

    def on_notification(method, params):
        if method == "query.changed":
            with lock:
                apply_patch(shown, params["patch"])
            print("changed:", [photo["name"] for photo in shown])

    with tempfile.TemporaryDirectory() as folder:
        cache = Tidemark(
            sys.argv[1], folder + "/cache.db",
            {"events.since.v1": events_since, "query.fetch": fetch, "mutation.send": perform}, on_notification)
        best = {"method": "photos.best", "input": {"limit": 10}}
        answer = cache.request("query.observe", best)
        with lock:
            shown.extend(answer["entities"])
        cache.event(LOG[0])
        cache.event(LOG[2])
        place = cache.request("cache.caught_up", {"library_id": "", "sequence": 3})
        read = cache.request("query.read", best)
        assert shown == read["entities"], "patches and reads disagree"
        # An edit is shown at once. Tidemark sends it, and repeats it until the server responds.
        cache.request("optimistic.update", {
            "pending_id": "edit-1",
            "changes": [{"op": "patch", "resource_type": "photo", "id": "p1", "fields": {"stars": 6}}],
            "send": {"method": "photos.rate", "input": {"id": "p1", "stars": 6}}})
        while cache.request("optimistic.list", {})["pending"]:
            time.sleep(0.01)
        print("cursor:", place["cursor"], "state:", place["state"])
        print("best:", ", ".join(f"{photo['name']} {photo['stars']}" for photo in shown))
        return cache.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main())
