"""One server and two people, each of whom sees a part of the library, step by step.

Starts `tidemark serve` with a file of scopes, and follows it as Ann (on the left) and as Ben (on the right):

    python3 docs/examples/scopes.py .build/debug/tidemark

It shows a shared and a private album, a member that is never sent, a membership that ends while another one stays, and
a client that was away and is told only what changed.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SCOPES = {"scopes": {"album": {
    "params": {"me": {"claim": "sub"}, "album": {"query": "string"}},
    "require": [{"type": "member", "on": {"/user": {"param": "me"}, "/album": {"param": "album"}}}],
    "types": {
        "album": {"where": {"path": "/id", "eq": {"param": "album"}}},
        "photo": {"where": {"path": "/album", "eq": {"param": "album"}}, "fields": ["album", "title"]},
    },
}}}
SECRET = os.urandom(32)
WIDTH = 58


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(subject):
    """A JSON Web Token for ten minutes. Your service makes these when somebody logs in."""
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    claims = encoded(json.dumps({"sub": subject, "exp": int(time.time()) + 600}).encode())
    code = hmac.new(SECRET, f"{head}.{claims}".encode(), hashlib.sha256).digest()
    return f"{head}.{claims}.{encoded(code)}"


class Server:
    """The server with the whole library."""

    def __init__(self, command, folder):
        for name, value in [("scopes.json", SCOPES), ("keys.json", {"keys": [{"kty": "oct", "k": encoded(SECRET)}]})]:
            with open(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
                json.dump(value, file)
        self.process = subprocess.Popen(
            [command, "serve", "--db", f"{folder}/library.db", "--listen", "127.0.0.1:0",
             "--scopes", f"{folder}/scopes.json", "--jwt-keys", f"{folder}/keys.json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["serving"].rsplit(":", 1)[1])
        with open(f"{folder}/library.db.token") as file:
            self.token = file.read().strip()

    def feed(self, *events):
        """Applies events, as a source of them does."""
        body = "".join(json.dumps({"event": event}) + "\n" for event in events)
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", "/events", body, {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/x-ndjson"})
        answer = json.loads(connection.getresponse().read())
        assert answer["events"]["applied"] == len(events), answer
        connection.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Terminal:
    """What one person sees of one album."""

    def __init__(self, server, name, album):
        self.server, self.name, self.album = server, name, album
        self.place = None
        self.connection = None

    def show(self, text):
        text = f"{self.name}, {self.album}: {text}"
        print("  " + (text if self.name == "ann" else " " * WIDTH + text))

    def follow(self):
        """Asks for the album, from where it was on, and reads what there is."""
        after = "&after={1}&epoch={0}".format(*self.place) if self.place else ""
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        self.connection.request("GET", f"/scopes/album?album={self.album}{after}", headers={
            "Authorization": f"Bearer {token(self.name)}"})
        self.lines = self.connection.getresponse()
        if self.lines.status != 200:
            self.show(f"{self.lines.status}")
            return self.lines.read()
        while self.read() not in ("Heartbeat", "bye"):
            pass

    def read(self):
        """Reads one line, shows it, and returns its kind."""
        line = json.loads(self.lines.readline())
        if "bye" in line:
            self.show(f"the stream ends: {line['bye']['reason']}")
            return "bye"
        envelope, (kind, event) = line["envelope"], *line["event"].items()
        if "sequence" in envelope:
            self.place = envelope["epoch"], envelope["sequence"]
        if kind == "ResourceDeleted":
            why = "leaves the scope" if event.get("reason") == "scope" else "is deleted"
            self.show(f"{event['resource_type']} {event['resource_id']} {why}")
        for resource in event.get("resources", [event["resource"]] if "resource" in event else []):
            self.show(f"{event['resource_type']} {json.dumps(resource)}")
        return kind

    def leave(self):
        self.lines.close()
        self.connection.close()


def changed(type, **members):
    return {"ResourceChanged": {"resource_type": type, "resource": members}}


def deleted(type, id):
    return {"ResourceDeleted": {"resource_type": type, "resource_id": id}}


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(command, folder)
        server.feed(
            changed("album", id="trip", title="Our trip"), changed("album", id="diary", title="Diary"),
            changed("member", id="m1", user="ann", album="trip"), changed("member", id="m2", user="ann", album="diary"),
            changed("member", id="m3", user="ben", album="trip"),
            changed("photo", id="p1", album="trip", title="Harbour", place="41.15 N 8.61 W"),
            changed("photo", id="p2", album="diary", title="Letter", place="41.15 N 8.61 W"))

        print("Both see the shared album, without the places of its photos. Ben is no member of the diary:")
        ann, diary, ben = (
            Terminal(server, "ann", "trip"), Terminal(server, "ann", "diary"), Terminal(server, "ben", "trip"))
        for terminal in (ann, diary, ben, Terminal(server, "ben", "diary")):
            terminal.follow()

        print("A photo in each album. Ben is told of one:")
        server.feed(changed("photo", id="p3", album="diary", title="Receipt"))
        server.feed(changed("photo", id="p4", album="trip", title="Dunes"))
        for terminal in (diary, ann, ben):
            terminal.read()

        print("Ben leaves the shared album. Everything in it leaves him, and nothing changes for Ann:")
        server.feed(deleted("member", "m3"))
        while ben.read() != "bye":
            pass
        ben.follow()

        print("A photo is renamed. Ann sees it:")
        server.feed(changed("photo", id="p1", album="trip", title="Harbour at night"))
        ann.read()

        print("Ann goes away, and comes back where she was. She is told what changed meanwhile, and no more:")
        ann.leave()
        server.feed(deleted("photo", "p4"))
        server.feed(changed("photo", id="p5", album="trip", title="Ferry"))
        ann.follow()

        for terminal in (ann, diary):
            terminal.leave()
        server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
