"""A cache of HTTP responses together with a stream of events, step by step.

Starts a server with ETags on this machine, and a cache that uses it:

    python3 docs/examples/http-answers.py .build/debug/tidemark

It shows a response that is fetched once, a 304 that renews the ages of its entities, an event that changes a query
while the stored response stays the same, and reads from the cache when the server is not reachable.
"""

import http.server
import itertools
import json
import subprocess
import sys
import tempfile
import threading

PHOTOS = [{"id": "1", "title": "Harbour"}, {"id": "2", "title": "Dunes"}]
NORMALIZE = {"resource_type": "photo", "pointer": "/photos", "method": "all"}


class Server(http.server.BaseHTTPRequestHandler):
    """Serves one URL, with 304 for clients that have the current version."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        known = self.headers.get("If-None-Match") == '"v1"'
        body = b"" if known else json.dumps({"photos": PHOTOS}).encode()
        self.send_response_only(304 if known else 200)
        self.send_header("ETag", '"v1"')
        self.send_header("Connection", "close")
        self.send_header("Tidemark-Sequence", "1")
        if not known:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        print(f"  server: {304 if known else 200}")


class Cache:
    """The host's side of a session."""

    def __init__(self, command, *arguments):
        self.process = subprocess.Popen(
            [command, "run", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ids = itertools.count(1)

    def send(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def ask(self, method, /, **params):
        number = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == number:
                return message.get("result") or message["error"]


def main(command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/photos"
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(command, "--db", folder + "/cache.db", "--upstream", "none")

        def fetch(*policy):
            answer = cache.ask("http.fetch", url=url, policy=list(policy), normalize=NORMALIZE)
            print(f"  {answer.get('status', answer.get('message'))}: {answer.get('cache_status')}")
            return answer

        def title():
            entities = cache.ask("query.read", method="all", policy="cacheOnly")["entities"]
            return entities[0]["title"]

        print("The first answer is stored, and its photos with it:")
        fetch("etag")
        print("A 304 begins the ages of all its photos again; nobody is notified:")
        fetch("etag")
        print("An event renames a photo. The query shows it:")
        cache.send({"sequence": 2, "event": {"ResourceChanged": {
            "resource_type": "photo", "resource": {"id": "1", "title": "Harbour at night"}}}})
        print(f"  {title()}")
        print("Another 304 does not take it back:")
        fetch("etag")
        print(f"  {title()}")
        server.shutdown()
        server.server_close()
        print("The server is gone. What was seen is there, and says so:")
        answer = fetch("etag", "loadIfOffline")
        print(f"  from the cache: {answer['from_cache']}")
        cache.process.stdin.close()
        cache.process.wait()


if __name__ == "__main__":
    main(sys.argv[1])
