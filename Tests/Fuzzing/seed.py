#!/usr/bin/env python3
"""Writes the inputs that fuzzers start from to Corpora/<target>/seed-*. Some are taken from Protocol/vectors.

Inputs that a fuzzer found are kept in the same folders, under names that say what they showed. This script does not
change them.

    Tests/Fuzzing/seed.py
"""

import base64
import json
import pathlib
import random

FUZZING = pathlib.Path(__file__).resolve().parent
VECTORS = FUZZING.parent.parent / "Protocol" / "vectors"


def write(target, inputs):
    folder = FUZZING / "Corpora" / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("seed-*"):
        old.unlink()
    for number, data in enumerate(inputs):
        (folder / f"seed-{number:02}").write_bytes(data)


def vector_streams(group):
    """Returns the first input of each vector of a group as bytes. Inputs of 1,500 bytes or more are left out."""
    streams = []
    for path in sorted((VECTORS / group).glob("*.json")):
        run = json.loads(path.read_text())["runs"][0]
        if "input" in run:
            data = "".join(line + "\n" for line in run["input"]).encode("utf-8", "surrogatepass")
        elif "input_base64" in run:
            data = base64.b64decode(run["input_base64"])
        else:
            continue
        if len(data) < 1500:
            streams.append(data)
    return streams


def lines():
    streams = vector_streams("valid")[::2] + vector_streams("invalid")[::2] + vector_streams("traces")[::6]
    return [bytes([index % 4 * 4 + (index % 7 == 0)]) + stream for index, stream in enumerate(streams)]


def session():
    inputs = []
    for index, path in enumerate(sorted((VECTORS / "sessions").glob("*.ndjson"))):
        if index % 3:
            continue
        said = b""
        for text in path.read_text().splitlines():
            step = json.loads(text)
            if step.get("say") != "host":
                continue
            for line in ([step["line"]] if "line" in step else []) + step.get("lines", []):
                text = line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))
                said += text.encode("utf-8", "surrogatepass") + b"\n"
        if 0 < len(said) < 1800:
            inputs.append(bytes([index % 32]) + said)
    return inputs


def merge():
    pairs = [
        ("{}", "{}"),
        ('{"id":"x","a":1}', '{"id":"x","a":null,"b":[1]}'),
        ('{"id":"x","o":{"a":1,"b":{"c":2}}}', '{"id":"x","o":{"b":{"d":1.10}}}'),
        ('{"id":"x","t":{"Physical":{"p":1}}}', '{"id":"x","t":{"Content":{"c":2}}}'),
        ('{"id":"x","t":{"Physical":{"p":1}}}', '{"id":"x","t":{"Physical":{"q":2}}}'),
        ('{"id":"x","a":1,"a":2}', '{"a":{"b":1,"b":2},"a":{"c":{}}}'),
        ('{"uuid":"u","id":null}', '{"id":"x","uuid":"v"}'),
        ('{"\\u0061":1,"b":"\\ud800"}', '{"a":2,"\\u0062":"\\ud83d\\ude00"}'),
        ('{"t":{"A":{"B":{"C":1}}}}', '{"t":{"A":{"B":{"D":1}}}}'),
        ('{"a":[{"b":1}],"c":"\\"\\\\"}', '{"a":[],"c":{"d":"}"}}'),
        ('{"a":{"A":1,"A":2}}', '{"a":{"B":1}}'),
        ('{"":{"":1}}', '{"":{"":{}}}'),
    ]
    names = ["", "a", "a\nb", "o\nt", "id"]
    return [
        bytes([index % 2]) + "\n".join([base, incoming, names[index % len(names)]]).encode()
        for index, (base, incoming) in enumerate(pairs + [pair[::-1] for pair in pairs])
    ]


def pointer():
    document = '{"a":{"b":[1,{"c":null}]},"x/y":1,"m~n":2,"":{"":3},"01":4,"é":5,"a|b":6}'
    array = '{"a":[0,1,2,3,4,5,6,7,8,9,10],"a":[[0],[1]]}'
    texts = [
        "", "/", "//", "/a", "/a/b/1/c", "/a/b/-", "/a/b/01", "/a/b/00", "/a/b/0", "/x~1y", "/m~0n", "/~01", "/01", "/é",
        "a", "/a/1/0", "/a/10", "/a/18446744073709551616", "/a|b", "/~0~1~0", "/a/b/1/c/d", "/|", "a|b/c|~",
        "/" + "/".join("a" * 70),
    ]
    return ["\n".join([text, document, array]).encode() for text in texts]


def where():
    resources = [
        '{"id":"1","kind":"image","size":5,"name":"alpha","sd_path":"/Photos/2024/a.jpg","o":{"p":[1,2]}}',
        '{"id":"2","kind":null,"size":5.0,"sd_path":{"Physical":{"device_slug":"nas","path":"/Photos/b"}}}',
        '{"id":"3","kind":"ima","size":-1e3,"alternate_paths":["/Photos/c"],"name":"\\u0061lpha"}',
        '{"id":"4","kind":true,"name":"é","size":18446744073709551616}',
    ]
    predicates = [
        '{"path":"/kind","eq":"image"}', '{"path":"/kind","ne":null}', '{"path":"/size","gte":5}',
        '{"path":"/size","lt":1e1,"gt":-1}', '{"path":"/kind","in":["image",null,true]}', '{"path":"/o/p/1","exists":true}',
        '{"path":"/name","prefix":"al"}', '{"all":[{"path":"/size","eq":5},{"path":"/kind","exists":false}]}',
        '{"any":[{"path":"/size","lte":0},{"not":{"path":"/kind","eq":"image"}}]}', '{"not":{"all":[]}}', '{"any":[]}',
        '{"path":"","exists":true}', '{"path":"/o","eq":{"p":[1,2]}}', '{"path":"/size","in":[5,5.0,50e-1]}',
    ]
    others = [
        "", ',"order":[{"path":"/size","direction":"desc"},{"path":"/name"}]', ',"limit":2',
        ',"scope":{"path":"/Photos","recursive":true}', ',"scope":{"path":{"Physical":{"device_slug":"nas","path":"/Photos"}}}',
        ',"scope":{"path":"/a","pointer":"/name"},"order":[{"path":"/kind"}]',
    ]
    inputs = []
    for index, predicate in enumerate(predicates):
        for step in range(2):
            rule = '{"resource_type":"file","where":%s%s}' % (predicate, others[(index * 2 + step) % len(others)])
            inputs.append("\n".join([rule] + resources).encode())
    return inputs + [b'{"resource_type":"file"}\n{}', b'{"resource_type":"file","where":{"path":"kind","eq":1}}']


def policy():
    return [
        text.encode()
        for text in [
            "type photo @cacheControl(maxAge: 60) { name: String }",
            "interface node @cacheControl(maxAge: 5) { id: ID! }\ntype a implements node { id: ID! b: [b!]! @cacheControl(cascadeDeletion: true) }\ntype b { id: ID }",
            'schema { query: Query mutation: M }\ntype Query { f(a: Int = 1, b: [String!] = ["x"]): photo }\ntype M { a: Int }\ntype photo { a: Int }',
            '"""\nA description\n  indented\n"""\ntype a { "of a field" b: Int @deprecated(reason: "\\u00e9\\n") }',
            "union u = | a | b\ntype a { x: Int }\ntype b { x: Int }\nenum e { A B @x }\nscalar s @specifiedBy(url: \"u\")",
            "directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean, cascadeDeletion: Boolean) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION",
            "extend type a @cacheControl(inheritMaxAge: true) { c: a }\ntype a { b: a @cacheControl(inheritMaxAge: true) }",
            "type a { b: Int @cacheControl }", "type a { b: Int @cacheControl(maxAge: -1) }", "type a { b: unknown }",
            "type a { b: Int b: Int }\ntype a { c: Int }", "interface a implements b { x: Int }\ninterface b implements a { x: Int }",
            "type a @cacheControl(maxAge: 9999999999999999999) { b: Int }", "input i { a: Int = 1.5e3, b: [[i!]!] = [{a: $v}] }",
            "\ufeff# comment\r\ntype a, { ,b: Int }\r", "type a { b: Int @cacheControl(maxAge: 1, maxAge: 2) c: a @cacheControl(cascadeDeletion: true) d: Int @cacheControl(cascadeDeletion: true) }",
            "type é { b: Int }", 'type a { b: String = "x', '"""unfinished', "type a { b: [[[[[Int]]]]] }", "{ query }", "",
            "interface a @cacheControl(maxAge: 1) { x: Int }\ninterface b @cacheControl(maxAge: 2) { x: Int }\ntype c implements a & b { x: Int }",
        ]
    ]


def graphql():
    texts = [
        "{ i { id a(x: 1) { id } b { ... on A { c } ...F } } } fragment F on B { k l id }",
        "query A($v: Int = 1, $in: In!) @cacheControl(maxAge: $v) { b(in: $in, id: 7) { c(in: {a: $v, c: [X Y]}) } }",
        "mutation { m(in: {a: 1, b: {a: 2}}) { id d(e: X) } }", "subscription S { s { id } }",
        "subscription { s { id } t }", "{ u { __typename ... @defer(if: true, label: \"l\") { ... on I { id } } } }",
        "{ i { id: a { id } __typename: id } } query B { i { id } }", "{ ...F } fragment F on Query { ...F }",
        "{ i { a(x: 1) { id } a(x: 2) { id } } }", "{ u { ... on A { id } ... on B { id } } }",
        '{ u(s: {x: "\\u{e9}", y: """\n  a\n   b \\""" c\n"""}) { __typename } }', "query($a: Nobody, $b: [A!]!) { i { b } }",
        "{ i @include(if: $x) @skip(if: true) @nobody(a: 1.5e-3) { id(x: null) } }", "{ a", "{ i { } }", "fragment on on A { a }",
        "query ($v: [[Int!]]! = [[1], [-0]] @x) { i { ...G @defer } }", "\ufeff# comment\r\n{ a { id, } }", "{é}", "",
        "{ __schema { types { name } } __type(name: \"A\") { kind } }", "{" * 70, "{ a { " + "id " * 300 + "} }",
        "query($k: String!) { i { a(x: 1) @connection(key: $k, filter: [\"x\"]) @cacheControl(inheritMaxAge: true) { id } } }",
        "{ i { ... on I { ... on A { ... on I { id } } } } }", "{ b(in: {a: 1, a: 2, z: 3}) { k } b(in: null) { l } }",
    ]
    return [text.encode() for text in texts]


def http():
    """Returns inputs that hold a URL and the fields of a request, an empty line, and the status and the fields of a
    response. The status is encoded as one character.
    """
    answers = [
        ["max-age=10, no-cache=\"a, b\", stale-while-revalidate=5"], ["no-store, must-understand"],
        ["max-age=\"1\", max-age=2", "private"], ["max-age=x, immutable, must-revalidate"], ["public=1,,s-maxage=3"],
    ]
    requests = [
        ["Cache-Control: only-if-cached, max-stale", "Range: bytes=0-4,6-,-3"], ["Authorization: a", "Cookie: b"],
        ["If-None-Match: W/\"a\", \"b,c\"", "If-Range: \"a\""], ["Pragma: no-cache", "Accept: A , b"],
        ["Cache-Control: min-fresh=5, max-age=99999999999", "If-Modified-Since: Sun Nov  6 08:49:37 1994"],
    ]
    others = [
        ["ETag: \"a\"", "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT", "Vary: Accept, *"],
        ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Expires: 0", "Age: 7, 9", "Vary: accept"],
        ["Content-Range: bytes 0-99/1234", "ETag: W/\"a\"", "Set-Cookie: x"],
        ["Location: //b.test/../%7e?q#f", "Connection: close, X", "X: 1"],
    ]
    urls = ["http://[::1]:80/a/../%7e?b#c", "../c;p?q", "https://A.test:443/%2e", "?y", "http://a.test:65536/"]
    inputs = []
    for number in range(20):
        answer = ["Cache-Control: " + line for line in answers[number % 5]] + others[number % 4]
        lines = [urls[number % 5]] + requests[(number // 2) % 5] + ["", chr(50 + number)] + answer
        inputs.append("\n".join(lines).encode())
    return inputs


def payload():
    def varint(value):
        data = b""
        while value > 127:
            data += bytes([value & 127 | 128])
            value >>= 7
        return data + bytes([value])

    text = b'{"id":"an id","name":"alpha"}'
    frame = bytes([0x20, 40, 0x41 + 0x0, 0x01, 0x00]) + b"\x41" * 40
    inputs = [
        b"\x00\x20" + text, b"\x08\x20" + text, b"\x00\x28" + varint(6) + b'{"id":,"name":"alpha"}',
        b"\x08\x28" + varint(7) + b'{"id":"","n":1}', b"\x00\x30" + text + b"\0\0\0\0", b"\x00\x40" + varint(2) + text + b"ab",
        b"\x00\x60" + varint(1) + text + b"a", b"\x00\x21" + varint(40) + frame, b"\x00\x25" + varint(29) + b"\x00" * 12,
        b"\x00\x22" + varint(1) + varint(40) + frame, b"\x00\x26" + varint(1) + varint(29) + b"\x00" * 12,
        b"\x00\x21" + varint(17 << 20) + frame, b"\x00\x80" + text, b"\x00\x23" + text, b"\x00\x22" + varint(9) + varint(1),
        b"\x02" + text, b"\x03" + text, b"\x13" + text, b"\x23" + text * 3, b"\x7b" + text * 9, b"\x63" + bytes(range(256)),
        b"\x04\x10" + varint(1) + b"\0" + bytes(16), b"\x04\x11" + varint(2) + b"\x02a\x01k" + b"\x01\x00",
        b"\x04\x10" + varint(2) + b"\x03ab\x01",
    ]
    put = b"\0" + b"\x01\x04file" + b"\x02" + b"\0\0\x02x" + varint(10) + b'{"id":"x"}' + b"\x03\0\0" + bytes(16)
    patch = b"\x01\x01p" + b"\x01\x04file" + b"\x02" + b"\x01\0\x02x" + varint(7) + b'{"a":1}' + b"\x01\x01b" + b"\x02\0\x02x\x01f"
    for content in [put, patch, b"\0\0\0"]:
        inputs.append(b"\x05\x10" + varint(len(content)) + varint(len(content)) + content)
    stamp = (5).to_bytes(8, "big") + (1).to_bytes(4, "big") + (1_700_000_000_000).to_bytes(8, "big")
    for count in range(2):
        names = b"".join((1).to_bytes(4, "big") + b"a" + stamp for _ in range(count))
        inputs.append(b"\x06\x00" + stamp + count.to_bytes(4, "big") + names)
    return inputs


def block():
    generator = random.Random(5)

    def integer(value):
        data = b""
        while value > 127:
            data += bytes([value & 127 | 128])
            value >>= 7
        return data + bytes([value])

    def forged(codec, count, unpacked, directory, data):
        numbers = [1, 3, 2] + ([1] if codec == 2 else []) + [count, unpacked, len(data)]
        return b"\x01" + bytes([0x20 | codec]) + b"".join(map(integer, numbers)) + directory + data

    text = b'{"id":"","name":"alpha"}'
    one = b"\x22" + integer(5) + b"an id" + b"\x08\x00\x02" + integer(7) + integer(len(text)) + bytes(4)
    gone = b"\x05" + bytes(16) + b"\x00\x00" + bytes(4)
    inputs = [
        forged(0, 1, len(text), one, text), forged(0, 2, len(text), one + gone, text), forged(1, 1, 40, one, bytes(9)),
        forged(2, 1, 40, one, bytes(9)), forged(1, 127, 1 << 18, one, b""), forged(1, 1, 1 << 25, one, b"\x20\x28"),
        forged(3, 1, 4, one, b"abcd"), b"\x00" + bytes(30), b"\x00\x01\x02\x03\x04\x20" + bytes(9), b"\x01",
    ]
    # Bytes that choose entities: the lengths of their ids, their stamps, fields and payloads.
    for count in (1, 3, 8, 30):
        entities = b"".join(
            bytes([16]) + bytes(generator.randrange(256) for _ in range(60)) + bytes([20]) + text[:20] + b"\x80"
            for _ in range(count))
        inputs += [b"\x02" + b"\xff" + bytes(generator.randrange(256) for _ in range(8)) + entities]
    return inputs


def choices(seed, count, length):
    """Returns rows of random bytes for targets that read each byte as a choice. Such targets accept any bytes."""
    generator = random.Random(seed)
    return [bytes(generator.randrange(256) for _ in range(generator.randrange(4, length))) for _ in range(count)]


def model():
    inputs = choices(1, 36, 400)
    return [bytes([index % 32]) + data for index, data in enumerate(inputs)]


def database():
    generator = random.Random(3)
    inputs = [bytes([0]), bytes([2]), b"\x03\x00" + b"SQLite format 3\0" + bytes(84), b"\x03\xff", b"\x03\xffno database"]
    for kind in range(14):
        for base in (0, 2):
            rest = bytes(generator.randrange(256) for _ in range(40))
            inputs.append(bytes([base, kind]) + rest)
    bodies = [b'{"id":"f4"}', b"", b"{", b'{"id":', b"[1]", b'{"a":{', b"\xff\xfe", b'{"a":"\\', b'{"a":1}}']
    for number, body in enumerate(bodies):
        # A forged entity: its number, a byte that has it replaced, two bytes of its header, and its bytes.
        inputs.append(bytes([0, 10, number * 3, 255, 0, 0, len(body)]) + body)
    return inputs


def database_blocks():
    generator = random.Random(4)
    inputs = [bytes([0]), bytes([2])]
    for kind in range(14):
        for base in (0, 2):
            rest = bytes(generator.randrange(256) for _ in range(48))
            inputs.append(bytes([base, kind]) + rest)
    # One statement about the tables of blocks; the last byte chooses it.
    inputs += [bytes([0, 9, 0, number]) for number in range(30)]
    # A forged row of each table: the table, the row's place, and two bytes to replace.
    inputs += [bytes([0, 10, table, place, 1, 0, offset, value, 0, offset + 4, value]) for table in range(4)
               for place, offset, value in ((0, 5, 0), (3, 9, 255), (7, 13, 127))]
    return inputs


def main():
    makers = [lines, session, merge, pointer, where, policy, graphql, http, payload, block, model, database]
    for maker in makers:
        write(maker.__name__, maker())
    write("database-blocks", database_blocks())
    write("patch", choices(2, 24, 120))


if __name__ == "__main__":
    main()
