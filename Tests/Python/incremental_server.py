#!/usr/bin/env python3
"""A GraphQL server over graphql-core's incremental execution and plain HTTP, for tests.

Prints its port, then serves POST requests until its standard input ends. If the document defers something, the response
is sent in parts, in chunks of three bytes; the first argument names the specification of the parts. A second argument
is the schema file of the Star Wars tests, which is then served instead.
"""
import asyncio
import http.server
import json
import sys
import threading

from graphql import build_schema, parse, validate
from graphql.execution import experimental_execute_incrementally as execute

import star_wars

DEFER = "directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT"
SCHEMA = build_schema(DEFER + """
    type Query { hero: Character! }
    type Mutation { rename(name: String!): Character! }
    type Character { id: ID! name: String slow: String broken: String friends: [Character!]! }
""")
NAME = {"value": "R2-D2"}


async def slow(*_):
    await asyncio.sleep(0)
    return "at last"


async def broken(*_):
    raise ValueError("it is broken")


def character(number, name, friends=()):
    return {"id": number, "name": name, "slow": slow, "broken": broken, "friends": list(friends)}


def hero(*_):
    return character("2001", NAME["value"], [character("1000", "Luke"), character("1003", "Leia")])


def rename(_, name):
    NAME["value"] = name
    return hero()


ROOT = {"hero": hero, "rename": rename}
if len(sys.argv) > 2:
    SCHEMA = build_schema(DEFER + star_wars.DIRECTIVES + open(sys.argv[2]).read())
    ROOT = star_wars.ROOT


async def payloads(request):
    document = parse(request["query"])
    errors = validate(SCHEMA, document)
    if errors:
        return [{"errors": [error.formatted for error in errors]}]
    result = execute(
        SCHEMA, document, ROOT, variable_values=request.get("variables"),
        operation_name=request.get("operationName"))
    if asyncio.iscoroutine(result):
        result = await result
    if not hasattr(result, "initial_result"):
        return [result.formatted]
    rest = [payload.formatted async for payload in result.subsequent_results]
    return [result.initial_result.formatted, *rest]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answers = [json.dumps(payload) for payload in asyncio.run(payloads(request))]
        self.send_response(200)
        if len(answers) == 1:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answers[0].encode())))
            self.end_headers()
            self.wfile.write(answers[0].encode())
            return
        self.send_header("Content-Type", f'multipart/mixed; boundary="-"; {sys.argv[1]}')
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body = "".join(f"\r\n---\r\nContent-Type: application/json\r\n\r\n{answer}" for answer in answers)
        body = (body + "\r\n-----\r\n").encode()
        for start in range(0, len(body), 3):
            chunk = body[start:start + 3]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
