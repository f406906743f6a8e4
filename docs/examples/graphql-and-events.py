"""A GraphQL server and a stream of events in one cache, step by step.

Starts a GraphQL server on this machine, and a cache that uses it:

    python3 docs/examples/graphql-and-events.py .build/debug/tidemark

It shows a document that is fetched once, an event that changes the result of a watched document, a mutation that is
shown before the server responds, the arrival of a deferred fragment, and maximum ages from the schema.
"""

import http.server
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading

SCHEMA = """
directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT
type Query { hero: Character }
type Mutation { rename(name: String!): Character }
type Character @cacheControl(maxAge: 600) { id: ID! name: String friends: [Character!] }
"""
HERO = {"__typename": "Character", "id": "2001", "name": "R2-D2"}
FRIENDS = [{"__typename": "Character", "id": "1000", "name": "Luke"}, {"__typename": "Character", "id": "1003", "name": "Leia"}]


# Set when the server may send the deferred fragment.
ARRIVE = threading.Event()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves two operations, and delivers the hero's friends later."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        document = request["query"]
        print(f"  server: {document.split('{')[0].strip() or 'query'}")
        if document.startswith("mutation"):
            HERO["name"] = request["variables"]["name"]
            self.answer(json.dumps({"data": {"rename": HERO}}))
        elif "@defer" in document:
            first = {"data": {"hero": HERO}, "hasNext": True}
            rest = {"incremental": [{"path": ["hero"], "label": "friends", "data": {"friends": FRIENDS}}], "hasNext": False}
            parts = [f"\r\n---\r\nContent-Type: application/json\r\n\r\n{json.dumps(part)}" for part in (first, rest)]
            parts[-1] += "\r\n-----\r\n"
            self.answer("".join(parts), 'multipart/mixed;boundary="-";deferSpec=20220824', len(parts[0] + "\r\n---\r\n"))
        else:
            self.answer(json.dumps({"data": {"hero": HERO}}))

    def answer(self, body, content_type="application/json", pause=None):
        """Sends a body; the bytes from `pause` on only once `ARRIVE` is set."""
        self.send_response_only(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode()[:pause])
        if pause:
            self.wfile.flush()
            ARRIVE.wait()
            self.wfile.write(body.encode()[pause:])


class Cache:
    """The host's side of a session."""

    def __init__(self, command, *arguments):
        self.process = subprocess.Popen([command, "run", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ids = itertools.count(1)
        self.changes = []

    def send(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def ask(self, method, /, **params):
        number = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]

    def read(self):
        message = json.loads(self.process.stdout.readline())
        if message.get("method") == "graphql.changed":
            self.changes.append(message["params"]["patch"])
        return message

    def change(self):
        """The next patch of a watched document."""
        while not self.changes:
            self.read()
        return self.changes.pop(0)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main(command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        schema = os.path.join(folder, "schema.graphqls")
        with open(schema, "w") as file:
            file.write(SCHEMA)
        cache = Cache(
            command, "--db", os.path.join(folder, "cache.db"), "--schema", schema,
            "--graphql-endpoint", f"http://127.0.0.1:{server.server_port}/graphql")

        print("A document is fetched once, and read from the cache afterwards:")
        hero = "query Hero { hero { id name } }"
        for _ in range(2):
            result = cache.ask("graphql.read", document=hero)
            print(f"  {result['source']}: {json.dumps(result['data'])}")

        print("An event changes what a watched document shows:")
        cache.ask("graphql.observe", document=hero)
        cache.send({"sequence": 1, "event": {"ResourceChanged": {
            "resource_type": "Character", "resource": {"id": "2001", "name": "R2-D2, from an event"}}}})
        print(f"  patch: {json.dumps(cache.change())}")

        print("A mutation is shown before the server has answered:")
        answer = cache.ask(
            "graphql.mutate", document="mutation Rename($name: String!) { rename(name: $name) { id name } }",
            variables={"name": "Artoo"}, optimistic={"rename": {"id": "2001", "name": "Artoo (hoped)"}})
        print(f"  patch: {json.dumps(cache.change())}")
        print(f"  patch: {json.dumps(cache.change())}")
        print(f"  answer: {json.dumps(answer['data'])}")

        print("A deferred fragment arrives in a part of its own:")
        deferred = 'query Friends { hero { id ... @defer(label: "friends") { friends { id name } } } }'
        result = cache.ask("graphql.observe", document=deferred)
        print(f"  {result['response']}: {json.dumps(result['data'])}, {result['deferred'][0]['state']}")
        ARRIVE.set()
        print(f"  patch: {json.dumps(cache.change())}")
        result = cache.ask("graphql.read", document=deferred, policy="cacheOnly")
        print(f"  {result['response']}: {json.dumps(result['data'])}, {result['deferred'][0]['state']}")
        cache.close()
    server.shutdown()


main(sys.argv[1])
