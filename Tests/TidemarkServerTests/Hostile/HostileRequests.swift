/// The hostile requests.
enum HostileRequests {
    typealias Hostile = HostileRequestTests.Hostile

    static var all: [Hostile] { refused.flatMap(\.requests) + messages }

    /// The requests that are refused by their status, by kind, with the least number of each.
    static let refused: [(kind: String, countMin: Int, requests: [Hostile])] = [
        ("host", 12, hosts), ("origin", 10, origins), ("token", 10, tokens), ("path", 15, paths), ("page", 8, page),
        ("method", 6, methods), ("type", 6, types), ("framing", 12, framing), ("size", 6, sizes),
    ]

    private static let clear = #"{"jsonrpc":"2.0","id":1,"method":"cache.clear","params":{}}"#
    private static let event = #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"evil"}}}"#

    /// A message that would clear the cache.
    private static func post(
        _ fields: [String], host: String? = "127.0.0.1:{port}", token: String? = "Bearer {token}",
        path: String = "/rpc", type: String? = "application/json", body: String = clear
    ) -> String {
        var lines = ["POST \(path) HTTP/1.1"]
        if let host { lines.append("Host: \(host)") }
        if let token { lines.append("Authorization: \(token)") }
        if let type { lines.append("Content-Type: \(type)") }
        lines += fields + ["Content-Length: \(body.utf8.count)"]
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func get(_ target: String, _ fields: [String] = [], token: Bool = true) -> String {
        let lines =
            ["GET \(target) HTTP/1.1", "Host: 127.0.0.1:{port}"] + (token ? ["Authorization: Bearer {token}"] : [])
            + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Names that lead here and are not served: DNS rebinding.
    private static let hosts = [
        Hostile(name: "no Host", text: post([], host: nil), statuses: [400], code: "bad_request"),
        Hostile(name: "an empty Host", text: post([], host: ""), statuses: [400], code: "bad_request"),
        Hostile(
            name: "two Hosts", text: post(["Host: 127.0.0.1:{port}"]), statuses: [400], code: "bad_request"),
        Hostile(
            name: "a rebound name", text: post([], host: "evil.example:{port}"), statuses: [421], code: "unknown_host"),
        Hostile(name: "a rebound name without a port", text: post([], host: "evil.example"), statuses: [421]),
        Hostile(name: "another port", text: post([], host: "127.0.0.1:1"), statuses: [421]),
        Hostile(name: "no port", text: post([], host: "127.0.0.1"), statuses: [421]),
        Hostile(name: "another address", text: post([], host: "10.0.0.1:{port}"), statuses: [421]),
        Hostile(
            name: "a name that begins well", text: post([], host: "127.0.0.1:{port}.evil.example"), statuses: [421]),
        Hostile(
            name: "a name with a user", text: post([], host: "127.0.0.1:{port}@evil.example"), statuses: [400, 421]),
        Hostile(name: "a name below localhost", text: post([], host: "evil.localhost:{port}"), statuses: [421]),
        Hostile(name: "a name with a dot behind", text: post([], host: "localhost.:{port}"), statuses: [421]),
        Hostile(
            name: "an absolute target", text: get("http://evil.example/entities/file/1"), statuses: [400],
            code: "bad_request"),
        Hostile(
            name: "a rebound health check", text: "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", statuses: [421]
        ),
    ]

    /// Pages of other sites.
    private static let origins = [
        Hostile(
            name: "another origin", text: post(["Origin: https://evil.example"]), statuses: [403], code: "forbidden"),
        Hostile(name: "the origin null", text: post(["Origin: null"]), statuses: [403]),
        Hostile(name: "another port's origin", text: post(["Origin: http://127.0.0.1:1"]), statuses: [403]),
        Hostile(
            name: "an origin that begins well", text: post(["Origin: https://app.example.evil.example"]),
            statuses: [403]),
        Hostile(
            name: "an allowed host with another scheme", text: post(["Origin: http://app.example"]), statuses: [403]),
        Hostile(
            name: "two origins", text: post(["Origin: https://app.example", "Origin: https://evil.example"]),
            statuses: [403]),
        Hostile(name: "a form of another site", text: post(["Sec-Fetch-Site: cross-site"]), statuses: [403]),
        Hostile(name: "a page of a sibling site", text: post(["Sec-Fetch-Site: same-site"]), statuses: [403]),
        Hostile(
            name: "another site behind a good one",
            text: post(["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]), statuses: [403]),
        Hostile(
            name: "a stream for another origin", text: get("/stream", ["Origin: https://evil.example"]), statuses: [403]
        ),
        Hostile(
            name: "a preflight of another origin",
            text: "OPTIONS /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n"
                + "Access-Control-Request-Method: POST\r\n\r\n", statuses: [403]),
    ]

    /// Tokens that are not the token.
    private static let tokens = [
        Hostile(name: "no token", text: post([], token: nil), statuses: [401], code: "unauthorized"),
        Hostile(name: "an empty token", text: post([], token: "Bearer "), statuses: [401]),
        Hostile(
            name: "a wrong token", text: post([], token: "Bearer " + String(repeating: "0", count: 64)), statuses: [401]
        ),
        Hostile(name: "a part of the token", text: post([], token: "Bearer {token}x"), statuses: [401]),
        Hostile(name: "a token with a space before", text: post([], token: "Bearer  {token}"), statuses: [401]),
        Hostile(name: "the token as a password", text: post([], token: "Basic {token}"), statuses: [401]),
        Hostile(name: "the token alone", text: post([], token: "{token}"), statuses: [401]),
        Hostile(name: "two tokens", text: post(["Authorization: Bearer 0"]), statuses: [401]),
        Hostile(name: "the token in the address", text: get("/export?token={token}", token: false), statuses: [401]),
        Hostile(
            name: "the token in a cookie", text: get("/export", ["Cookie: token={token}"], token: false),
            statuses: [401]),
        Hostile(
            name: "a path that is not there, without a token", text: get("/nothing", token: false), statuses: [401]),
        Hostile(name: "metrics without a token", text: get("/metrics", token: false), statuses: [401]),
    ]

    /// Paths that play tricks.
    private static let paths = [
        Hostile(name: "no such path", text: get("/nothing"), statuses: [404], code: "not_found"),
        Hostile(name: "a slash behind", text: get("/metrics/"), statuses: [404]),
        Hostile(name: "two slashes before", text: get("//metrics"), statuses: [404]),
        Hostile(name: "a dotted path", text: get("/healthz/../export/x"), statuses: [404]),
        Hostile(name: "an encoded path", text: get("/%65xport"), statuses: [404]),
        Hostile(name: "a file of the system", text: get("/../../../../etc/passwd"), statuses: [404]),
        Hostile(name: "an encoded file of the system", text: get("/%2e%2e/%2e%2e/etc/passwd"), statuses: [404]),
        Hostile(name: "a back slash", text: get("/..\\..\\etc\\passwd"), statuses: [404]),
        Hostile(name: "a NUL in a type", text: get("/entities/fi%00le/1"), statuses: [400], code: "invalid_params"),
        Hostile(name: "a type with a slash", text: get("/entities/..%2ffile/1"), statuses: [400]),
        Hostile(name: "a broken percent sign", text: get("/entities/file/%zz"), statuses: [404]),
        Hostile(name: "an id that is not UTF-8", text: get("/entities/file/%ff%fe"), statuses: [404]),
        Hostile(name: "a script as an id", text: get("/entities/file/%3Cscript%3E"), statuses: [404]),
        Hostile(name: "an unknown parameter", text: get("/export?path=/etc/passwd"), statuses: [400]),
        Hostile(name: "a repeated parameter", text: get("/entities/file?limit=1&limit=2"), statuses: [400]),
        Hostile(name: "a page of a billion", text: get("/entities/file?limit=1000000000"), statuses: [400]),
        Hostile(name: "a negative page", text: get("/entities/file?limit=-1"), statuses: [400]),
        Hostile(name: "a stream's number that is none", text: get("/stream", ["Last-Event-ID: x"]), statuses: [400]),
    ]

    /// The page, which needs no token, and what lies beside it.
    private static let page = [
        Hostile(
            name: "the page under a rebound name", text: "GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n",
            statuses: [421]),
        Hostile(
            name: "the page for another origin", text: get("/", ["Origin: https://evil.example"], token: false),
            statuses: [403]),
        Hostile(name: "the page by its file", text: get("/index.html", token: false), statuses: [401]),
        Hostile(name: "a folder of the page", text: get("/Page/inspector.js"), statuses: [404]),
        Hostile(name: "a file above the page", text: get("/../InspectorFile.swift"), statuses: [404]),
        Hostile(name: "an encoded name of a file", text: get("/%69nspector.js", token: false), statuses: [401]),
        Hostile(name: "a file in another case", text: get("/INSPECTOR.JS"), statuses: [404]),
        Hostile(
            name: "the page changed", text: post([], path: "/inspector.js", body: "alert(1)"), statuses: [405],
            code: "method_not_allowed"),
        Hostile(name: "the recording without a token", text: get("/recording", token: false), statuses: [401]),
        Hostile(name: "a recording of nobody", text: get("/recording"), statuses: [404], code: "not_found"),
    ]

    private static let methods = [
        Hostile(name: "a message by GET", text: get("/rpc"), statuses: [405], code: "method_not_allowed"),
        Hostile(name: "a stream by POST", text: post([], path: "/stream"), statuses: [405]),
        Hostile(
            name: "an entity by DELETE",
            text: "DELETE /entities/file/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n",
            statuses: [405]),
        Hostile(
            name: "TRACE",
            text: "TRACE /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n",
            statuses: [405]),
        Hostile(
            name: "a method of nobody",
            text: "JUMP /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n",
            statuses: [400, 405]),
        Hostile(
            name: "CONNECT", text: "CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
            statuses: [400]),
        Hostile(
            name: "a WebSocket", text: get("/stream", ["Connection: Upgrade", "Upgrade: websocket"]), statuses: [400]),
    ]

    private static let types = [
        Hostile(
            name: "a form", text: post([], type: "application/x-www-form-urlencoded"), statuses: [415],
            code: "unsupported_type"),
        Hostile(name: "plain text", text: post([], type: "text/plain"), statuses: [415]),
        Hostile(name: "no type", text: post([], type: nil), statuses: [415]),
        Hostile(name: "two types", text: post(["Content-Type: application/json"]), statuses: [415]),
        Hostile(
            name: "events as JSON", text: post([], path: "/events", body: event), statuses: [415],
            code: "unsupported_type"),
        Hostile(
            name: "events in an unknown coding",
            text: post(["Content-Encoding: br"], path: "/events", type: "application/x-ndjson", body: event),
            statuses: [415], code: "unsupported_coding"),
        Hostile(
            name: "events coded twice",
            text: post(["Content-Encoding: gzip, gzip"], path: "/events", type: "application/x-ndjson", body: event),
            statuses: [415]),
        Hostile(name: "a coded message", text: post(["Content-Encoding: gzip"]), statuses: [415]),
    ]

    private static let framing = [
        Hostile(
            name: "a length and chunks", text: post(["Transfer-Encoding: chunked"]), statuses: [400],
            code: "bad_request"),
        Hostile(
            name: "a negative length",
            text: "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: -1\r\n\r\n", statuses: [400]),
        Hostile(
            name: "a length past all numbers",
            text: "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            statuses: [400]),
        Hostile(
            name: "a version of tomorrow", text: "GET /healthz HTTP/3.0\r\nHost: 127.0.0.1:{port}\r\n\r\n",
            statuses: [400]),
        Hostile(name: "no version", text: "GET /healthz\r\n\r\n", statuses: [400]),
        Hostile(name: "no HTTP at all", text: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", statuses: [400]),
        Hostile(name: "the preface of HTTP/2", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", statuses: [400]),
        Hostile(name: "a field without a name", text: get("/healthz", [": x"]), statuses: [400]),
        Hostile(name: "a field with a space in its name", text: get("/healthz", ["X y: z"]), statuses: [400]),
        Hostile(
            name: "a folded field", text: "GET /healthz HTTP/1.1\r\n Host: 127.0.0.1:{port}\r\n\r\n", statuses: [400]),
        Hostile(name: "a NUL in a field", text: get("/healthz", ["X: a\u{0}b"]), statuses: [400]),
        Hostile(
            name: "a chunk whose size is no number",
            text: "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", statuses: [400]),
        Hostile(
            name: "a message that breaks off",
            text: "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"", statuses: [400],
            endsWriting: true),
    ]

    private static let sizes = [
        Hostile(
            name: "a field of 20 KiB", text: get("/healthz", ["X: " + String(repeating: "a", count: 20 << 10)]),
            statuses: [431], code: "head_too_large"),
        Hostile(
            name: "a path of 20 KiB", text: get("/" + String(repeating: "a", count: 20 << 10)), statuses: [431]),
        Hostile(
            name: "a thousand fields", text: get("/healthz", (0..<1_000).map { "X-Field-\($0): \($0)0000000" }),
            statuses: [431]),
        Hostile(
            name: "a head without an end",
            text: "GET /healthz HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 4_000),
            statuses: [431]),
        Hostile(
            name: "a line without an end", text: "GET /" + String(repeating: "a", count: 40 << 10), statuses: [431]),
        Hostile(
            name: "a message of 17 MiB, announced",
            text: "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(17 << 20)\r\n\r\n", statuses: [413],
            code: "too_large"),
    ]

    /// Messages that are answered, and do nothing.
    private static let messages = [
        Hostile(name: "a message that is no JSON", text: post([], body: "{{{"), statuses: [200]),
        Hostile(name: "an event as a message", text: post([], body: event), statuses: [200]),
        Hostile(
            name: "an array past its limit", text: post([], body: "[" + String(repeating: "[", count: 5_000)),
            statuses: [200]),
        Hostile(name: "an empty body", text: post([], body: ""), statuses: [200]),
        Hostile(
            name: "observing without a stream",
            text: post(
                [],
                body: #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"resource_type":"file","id":"1"}}"#),
            statuses: [200], code: "invalid_params"),
        Hostile(
            name: "observing for a stream of nobody",
            text: post(
                ["Tidemark-Stream: \u{22}><script>"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"query.observe","params":{"method":"x"}}"#),
            statuses: [200], code: "invalid_params"),
    ]
}
