"""A GraphQL server of Hasura's shape: tables as root fields, look-ups by primary key, and mutations that return rows.

    python3 docs/recipes/hasura.py .build/debug/tidemark

The schema below is what such a server publishes for one table, with two lines for the cache: `photos_by_pk` finds the
entity that a list brought, and the list follows events by its own order.
"""
import http.server
import json
import sys
import tempfile
import threading

from session import Session

SCHEMA = """
directive @typePolicy(keyFields: String, events: EventRule) on OBJECT | INTERFACE
directive @fieldPolicy(forField: String!, keyArgs: String, membership: Object) repeatable on OBJECT
schema { query: query_root mutation: mutation_root }
enum order_by { asc desc }
input photos_order_by { stars: order_by }
input photos_pk_columns_input { id: uuid! }
input photos_set_input { name: String stars: Int }
scalar uuid
type photos { id: uuid! name: String! stars: Int! }
type query_root @fieldPolicy(forField: "photos_by_pk", keyArgs: "id")
    @fieldPolicy(forField: "photos", membership: {order: [{path: "/stars", direction: "desc"}]}) {
  photos(order_by: [photos_order_by!], limit: Int): [photos!]!
  photos_by_pk(id: uuid!): photos
}
type mutation_root {
  update_photos_by_pk(pk_columns: photos_pk_columns_input!, _set: photos_set_input): photos
}
"""
ROWS = {id: {"__typename": "photos", "id": id, "name": name, "stars": stars}
        for id, name, stars in [("a1", "Sea", 3), ("b2", "Dunes", 5)]}
ASKED = []


class Hasura(http.server.BaseHTTPRequestHandler):
    """Answers three documents by the name of their root field."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        document, variables = request["query"], request.get("variables") or {}
        if "update_photos_by_pk" in document:
            ROWS[variables["id"]].update(variables["set"])
            data = {"update_photos_by_pk": ROWS[variables["id"]]}
        elif "photos_by_pk" in document:
            data = {"photos_by_pk": ROWS.get(variables["id"])}
        else:
            data = {"photos": sorted(ROWS.values(), key=lambda row: -row["stars"])}
        ASKED.append(next(iter(data)))
        body = json.dumps({"data": data}).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hasura)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/schema.graphqls", "w") as file:
            file.write(SCHEMA)
        cache = Session(
            command, folder + "/cache.db", "--schema", folder + "/schema.graphqls",
            "--graphql-endpoint", f"http://127.0.0.1:{server.server_port}/v1/graphql", "--upstream", "none")
        best = "query { photos(order_by: [{stars: desc}], limit: 10) { id name stars } }"
        one = "query One($id: uuid!) { photos_by_pk(id: $id) { name stars } }"
        rate = """mutation Rate($id: uuid!, $set: photos_set_input) {
            update_photos_by_pk(pk_columns: {id: $id}, _set: $set) { id stars } }"""

        def names():
            return [row["name"] for row in cache.call("graphql.read", document=best, policy="cacheOnly")["data"]["photos"]]

        cache.call("graphql.read", document=best)
        # The look-up by primary key finds what the list brought: the server is not asked.
        found = cache.call("graphql.read", document=one, variables={"id": "a1"})
        assert found["source"] == "cache" and found["data"]["photos_by_pk"]["name"] == "Sea" and ASKED == ["photos"]
        # A mutation shows at once, and moves the photo in the list, which nobody fetches again.
        cache.call("graphql.mutate", document=rate, variables={"id": "a1", "set": {"stars": 6}},
                   optimistic={"update_photos_by_pk": {"id": "a1", "stars": 6}})
        assert names() == ["Sea", "Dunes"] and ASKED == ["photos", "update_photos_by_pk"]
        # An event, such as one of a Hasura event trigger, does the same.
        cache.send({"ResourceChanged": {"resource_type": "photos", "resource": {"id": "b2", "name": "Dunes", "stars": 9}}})
        print("best:", ", ".join(names()))
        cache.close()
    server.shutdown()


main(*(sys.argv[1:2] or ["tidemark"]))
