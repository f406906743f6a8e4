import TidemarkHTTPRules

/// Validators, updates, methods, statuses and staleness.
extension BehaviourCase {
    // MARK: RFC 9110, sections 8.8 and 13; RFC 9111, section 4.3

    static let validating: [BehaviourCase] = [
        twice(.validators, "a strong tag", [tag], .confirmed),
        twice(.validators, "a weak tag", ["ETag: W/\"1\""], .confirmed),
        twice(.validators, "a tag without quotes", ["ETag: 1"], .confirmed),
        twice(.validators, "an empty tag", ["ETag:"], .miss),
        twice(.validators, "a date", ["Last-Modified: {-0}", "Cache-Control: max-age=0"], after: 0, .confirmed),
        twice(.validators, "a date that is none", ["Last-Modified: yesterday"], .miss),
        run(
            .validators, "another tag replaces", .server(200, [tag]), .ask("GET", [], .miss),
            .server(200, ["ETag: \"2\""]), .ask("GET", [], .replaced), .ask("GET", [], .confirmed)),
        run(
            .validators, "a weak tag confirms a strong one", .server(200, [tag]), .ask("GET", [], .miss),
            .server(304, ["ETag: W/\"1\""]), .ask("GET", [], .confirmed)),
        run(
            .validators, "a 304 of another tag confirms nothing", .server(200, [tag]), .ask("GET", [], .miss),
            .server(304, ["ETag: \"2\""]), .ask("GET", [], .replaced)),
        run(
            .validators, "a 304 without a tag confirms", .server(200, [tag]), .ask("GET", [], .miss), .server(304, []),
            .ask("GET", [], .confirmed)),
        run(
            .validators, "a caller's own tag gets a 304 of what is stored",
            .server(200, [tag, "Cache-Control: max-age=10"]), .ask("GET", [], .miss),
            .ask("GET", ["If-None-Match: \"1\""], .hit)),
        run(
            .validators, "a condition on changing goes to the server",
            .server(200, [tag, "Cache-Control: max-age=10"]),
            .ask("GET", [], .miss), .ask("GET", ["If-Match: \"1\""], .miss)),
        run(
            .validators, "a condition on a date of changing goes to the server",
            .server(200, [tag, "Cache-Control: max-age=10"]), .ask("GET", [], .miss),
            .ask("GET", ["If-Unmodified-Since: {+0}"], .miss)),
    ]

    static let updates: [BehaviourCase] = [
        run(
            .updating, "a 304 brings a new lifetime", .server(200, [tag, "Cache-Control: max-age=1"]),
            .ask("GET", [], .miss), .server(200, [tag, "Cache-Control: max-age=60"]), .pass(2),
            .ask("GET", [], .confirmed), .pass(59), .ask("GET", [], .hit)),
        run(
            .updating, "a 304 ends a lifetime", .server(200, [tag, "Cache-Control: max-age=1"]), .ask("GET", [], .miss),
            .server(200, [tag, "Cache-Control: no-cache"]), .pass(2), .ask("GET", [], .confirmed),
            .ask("GET", [], .confirmed)),
        run(
            .updating, "a 304 that says nothing keeps the lifetime", .server(200, [tag, "Cache-Control: max-age=10"]),
            .ask("GET", [], .miss), .server(304, []), .pass(11), .ask("GET", [], .confirmed), .pass(9),
            .ask("GET", [], .hit)),
        run(
            .updating, "a 304 with Expires", .server(200, [tag]), .ask("GET", [], .miss),
            .server(304, [tag, "Expires: {+60}", "Date: {+0}"]), .ask("GET", [], .confirmed), .pass(59),
            .ask("GET", [], .hit)),
        run(
            .updating, "a new answer brings its own fields", .server(200, ["Cache-Control: max-age=1"]),
            .ask("GET", [], .miss), .pass(2), .server(200, ["Cache-Control: max-age=60"]), .ask("GET", [], .miss),
            .pass(30), .ask("GET", [], .hit)),
        run(
            .updating, "an answer that may not be stored removes the stored one",
            .server(200, [tag, "Cache-Control: max-age=1"]), .ask("GET", [], .miss), .pass(2),
            .server(200, ["ETag: \"2\"", "Cache-Control: no-store"]), .ask("GET", [], .replaced), .offline,
            .ask("GET", [], .failure)),
        run(
            .updating, "an error removes nothing", .server(200, [tag, "Cache-Control: max-age=1"]),
            .ask("GET", [], .miss), .pass(2), .server(503, []), .ask("GET", [], .replaced), .server(200, [tag]),
            .ask("GET", [], .confirmed)),
    ]

    // MARK: RFC 9110, section 9; RFC 9111, sections 4.3.5 and 4.4

    static let otherMethods: [BehaviourCase] =
        [
            run(
                .head, "a stored GET answers", .server(200, ["Cache-Control: max-age=10"]), .ask("GET", [], .miss),
                .ask("HEAD", [], .hit)),
            run(
                .head, "a HEAD does not answer a GET", .server(200, ["Cache-Control: max-age=10"]),
                .ask("HEAD", [], .miss),
                .ask("GET", [], .miss)),
            run(
                .head, "a HEAD is stored", .server(200, ["Cache-Control: max-age=10"]), .ask("HEAD", [], .miss),
                .ask("HEAD", [], .hit)),
            run(
                .head, "a HEAD refreshes the GET", .server(200, [tag, "Cache-Control: max-age=10"]),
                .ask("GET", [], .miss),
                .pass(11), .server(200, [tag, "Cache-Control: max-age=60"]), .ask("HEAD", [], .miss),
                .ask("GET", [], .hit)),
            run(
                .head, "a HEAD of another tag removes the GET", .server(200, [tag, "Cache-Control: max-age=10"]),
                .ask("GET", [], .miss), .pass(11), .server(200, ["ETag: \"2\"", "Cache-Control: max-age=60"]),
                .ask("HEAD", [], .miss), .ask("GET", [], .miss)),
            run(
                .head, "a HEAD of another length removes the GET", .server(200, ["Cache-Control: max-age=10"]),
                .ask("GET", [], .miss), .pass(11), .server(200, ["Content-Length: 99", "Cache-Control: max-age=60"]),
                .ask("HEAD", [], .miss), .ask("GET", [], .failure)),
        ]
        + ["POST", "OPTIONS", "PATCH", "DELETE", "TRACE", "FOO"].map { method in
            run(
                .methods, "\(method) is not stored", .server(200, ["Cache-Control: max-age=10"]),
                .ask(method, [], .miss),
                .ask(method, [], .miss))
        }
        + ["POST", "PUT", "DELETE", "PATCH", "FOO"].flatMap { method in
            [
                run(
                    .invalidation, "\(method) that succeeds", .server(200, ["Cache-Control: max-age=60"]),
                    .ask("GET", [], .miss), .ask(method, [], .miss), .ask("GET", [], .miss)),
                run(
                    .invalidation, "\(method) that fails", .server(200, ["Cache-Control: max-age=60"]),
                    .ask("GET", [], .miss), .server(500, []), .ask(method, [], .miss), .ask("GET", [], .hit)),
            ]
        }
        + ["OPTIONS", "TRACE", "HEAD"].map { method in
            run(
                .invalidation, "\(method) removes nothing", .server(200, ["Cache-Control: max-age=60", tag]),
                .ask("GET", [], .miss), .ask(method, [], method == "HEAD" ? .hit : .miss), .ask("GET", [], .hit))
        }

    // MARK: RFC 9110, section 15

    static let statusCodes: [BehaviourCase] =
        [
            200, 201, 202, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 410, 414, 429, 451,
            499,
            500, 501, 502, 503, 504, 599,
        ].map { status in
            twice(.statuses, "\(status) that says so is stored", ["Cache-Control: max-age=60"], .hit, status: status)
        }
        + [201, 202, 302, 307, 400, 403, 429, 500, 503, 599].map { status in
            twice(.statuses, "\(status) that says nothing is not", ["Last-Modified: {-1000}"], .miss, status: status)
        } + [
            twice(.statuses, "206 without its place is not stored", ["Cache-Control: max-age=60"], .miss, status: 206)
        ]

    // MARK: RFC 5861; RFC 9111, section 4.2.4

    static let staleness: [BehaviourCase] =
        [
            twice(
                .stale, "stale-while-revalidate within", ["Cache-Control: max-age=10, stale-while-revalidate=5"],
                after: 15, .stale),
            twice(
                .stale, "stale-while-revalidate beyond", ["Cache-Control: max-age=10, stale-while-revalidate=5"],
                after: 16, .miss),
            twice(
                .stale, "stale-while-revalidate and must-revalidate",
                ["Cache-Control: max-age=10, stale-while-revalidate=5, must-revalidate"], after: 12, .miss),
            twice(
                .stale, "stale-while-revalidate of nothing", ["Cache-Control: max-age=10, stale-while-revalidate"],
                after: 12, .miss),
        ]
        + [500, 502, 503, 504].map { status in
            run(
                .stale, "stale-if-error on \(status)", .server(200, ["Cache-Control: max-age=1, stale-if-error=60"]),
                .ask("GET", [], .miss), .pass(2), .server(status, []), .ask("GET", [], .fallback))
        }
        + [400, 404, 501, 505].map { status in
            run(
                .stale, "stale-if-error not on \(status)",
                .server(200, ["Cache-Control: max-age=1, stale-if-error=60"]),
                .ask("GET", [], .miss), .pass(2), .server(status, []), .ask("GET", [], .miss))
        } + [
            run(
                .stale, "stale-if-error beyond", .server(200, ["Cache-Control: max-age=1, stale-if-error=60"]),
                .ask("GET", [], .miss), .pass(62), .server(503, []), .ask("GET", [], .miss)),
            run(
                .stale, "stale-if-error of the request", .server(200, ["Cache-Control: max-age=1"]),
                .ask("GET", [], .miss),
                .pass(2), .server(503, []), .ask("GET", ["Cache-Control: stale-if-error=60"], .fallback)),
            run(
                .stale, "an error without leave", .server(200, ["Cache-Control: max-age=1"]), .ask("GET", [], .miss),
                .pass(2), .server(503, []), .ask("GET", [], .miss)),
            run(
                .offline, "a stale answer", .server(200, ["Cache-Control: max-age=1"]), .ask("GET", [], .miss),
                .pass(2),
                .offline, .ask("GET", [], .fallback)),
            run(
                .offline, "must-revalidate", .server(200, ["Cache-Control: max-age=1, must-revalidate"]),
                .ask("GET", [], .miss), .pass(2), .offline, .ask("GET", [], .failure)),
            run(
                .offline, "no-cache", .server(200, ["Cache-Control: no-cache"]), .ask("GET", [], .miss), .offline,
                .ask("GET", [], .failure)),
            run(
                .offline, "no-cache of the request", .server(200, ["Cache-Control: max-age=10"]),
                .ask("GET", [], .miss),
                .offline, .ask("GET", ["Cache-Control: no-cache"], .failure)),
            run(.offline, "nothing stored", .offline, .ask("GET", [], .failure)),
            run(
                .offline, "and back", .server(200, [tag, "Cache-Control: max-age=1"]), .ask("GET", [], .miss), .pass(2),
                .offline, .ask("GET", [], .fallback), .server(200, [tag]), .ask("GET", [], .confirmed)),
        ]
}
