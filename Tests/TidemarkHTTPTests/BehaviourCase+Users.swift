import TidemarkHTTPRules

/// Users, ranges, malformed fields and RestKit's options.
extension BehaviourCase {
    // MARK: Users

    static let users: [BehaviourCase] = ["Authorization", "Cookie"].flatMap { name in
        [
            run(
                .credentials, "\(name) of another user", .server(200, ["Cache-Control: max-age=60"]),
                .ask("GET", ["\(name): a"], .miss), .ask("GET", ["\(name): b"], .miss)),
            run(
                .credentials, "\(name) of the same user", .server(200, ["Cache-Control: max-age=60"]),
                .ask("GET", ["\(name): a"], .miss), .ask("GET", ["\(name): a"], .hit)),
            run(
                .credentials, "\(name), and nobody", .server(200, ["Cache-Control: max-age=60"]),
                .ask("GET", ["\(name): a"], .miss), .ask("GET", [], .miss)),
            run(
                .credentials, "nobody, and \(name)", .server(200, ["Cache-Control: max-age=60"]),
                .ask("GET", [], .miss),
                .ask("GET", ["\(name): a"], .miss)),
            run(
                .credentials, "\(name) of another user, public", .server(200, ["Cache-Control: public, max-age=60"]),
                .ask("GET", ["\(name): a"], .miss), .ask("GET", ["\(name): b"], .miss)),
        ]
    }

    // MARK: RFC 9110, section 14

    static let parts: [BehaviourCase] = [
        twice(.ranges, "of a whole answer", ["Cache-Control: max-age=60"], .hit, request: ["Range: bytes=0-2"]),
        twice(.ranges, "the end of it", ["Cache-Control: max-age=60"], .hit, request: ["Range: bytes=-2"]),
        twice(.ranges, "several of it", ["Cache-Control: max-age=60"], .hit, request: ["Range: bytes=0-0,3-3"]),
        twice(.ranges, "beyond it", ["Cache-Control: max-age=60"], .hit, request: ["Range: bytes=100-"]),
        twice(.ranges, "in another unit", ["Cache-Control: max-age=60"], .miss, request: ["Range: lines=0-2"]),
        twice(.ranges, "that is none", ["Cache-Control: max-age=60"], .miss, request: ["Range: bytes=2-0"]),
        twice(
            .ranges, "of a stale answer", ["Cache-Control: max-age=1", tag], after: 2, .confirmed,
            request: ["Range: bytes=0-2"]),
        twice(
            .ranges, "If-Range of the tag", ["Cache-Control: max-age=60", tag], .hit,
            request: ["Range: bytes=0-2", "If-Range: \"1\""]),
        twice(
            .ranges, "If-Range of another tag", ["Cache-Control: max-age=60", tag], .hit,
            request: ["Range: bytes=0-2", "If-Range: \"2\""]),
        twice(
            .ranges, "a part of unknown length is not stored",
            ["Cache-Control: max-age=60", "Content-Range: bytes 0-5/*"], .miss, request: ["Range: bytes=0-5"],
            status: 206),
        run(
            .ranges, "a part does not answer for the whole",
            .server(206, ["Cache-Control: max-age=60", "Content-Range: bytes 0-5/20"]),
            .ask("GET", ["Range: bytes=0-5"], .miss), .ask("GET", ["Range: bytes=1-3"], .hit), .ask("GET", [], .miss)),
        run(
            .ranges, "a part does not answer for another",
            .server(206, ["Cache-Control: max-age=60", "Content-Range: bytes 0-5/20"]),
            .ask("GET", ["Range: bytes=0-5"], .miss), .ask("GET", ["Range: bytes=4-8"], .miss)),
    ]

    static let malformedFields: [BehaviourCase] =
        [
            "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=ten", "max-age='60'", "max-age =60",
            "max-age= 60",
            "max-age=60 s", "max-age=60;x", "max-age:60", "max-age=60, max-age=x", "max-age=+60", "max-age=0x60",
            "max-age=60\u{a0}",
        ].map { twice(.malformed, $0, ["Cache-Control: \($0)"], .miss) }
        + [
            "max-ag=60", "xmax-age=60", "\"max-age=60\"", "max_age=60", "", ",",
        ].map { twice(.malformed, "'\($0)' is no lifetime", ["Cache-Control: \($0)"], .miss) } + [
            twice(
                .malformed, "max-stale of a request", ["Cache-Control: max-age=1", tag], after: 2, .confirmed,
                request: ["Cache-Control: max-stale=x"]),
            twice(
                .malformed, "min-fresh of a request", ["Cache-Control: max-age=60", tag], .confirmed,
                request: ["Cache-Control: min-fresh=x"]),
            twice(.malformed, "no-cache that ends early", ["Cache-Control: no-cache=\"a, max-age=60"], .miss),
            twice(
                .malformed, "a thousand directives and more",
                ["Cache-Control: max-age=60" + String(repeating: ", x", count: 1_000)], .miss),
        ]

    // MARK: RestKit's options

    static func options(_ name: String, _ options: CacheOptions, _ timeout: Int64? = nil, _ steps: Step...)
        -> BehaviourCase
    {
        BehaviourCase(area: .options, name: name, rules: .options(options, timeout: timeout), steps: steps)
    }

    static let restKit: [BehaviourCase] = [
        options(
            "none", [], nil, .server(200, ["Cache-Control: max-age=60"]), .ask("GET", [], .miss), .ask("GET", [], .miss)
        ),
        options(
            "enabled", .enabled, nil, .server(200, []), .ask("GET", [], .miss), .pass(1_000_000),
            .ask("GET", [], .stale)),
        options(
            "enabled and no-store", .enabled, nil, .server(200, ["Cache-Control: no-store"]), .ask("GET", [], .miss),
            .ask("GET", [], .miss)),
        options(
            "timeout within", .timeout, 5, .server(200, []), .ask("GET", [], .miss), .pass(5), .ask("GET", [], .stale)),
        options(
            "timeout beyond", .timeout, 5, .server(200, []), .ask("GET", [], .miss), .pass(6), .ask("GET", [], .miss)),
        options(
            "maxAge while fresh", .maxAge, nil, .server(200, ["Cache-Control: max-age=10"]), .ask("GET", [], .miss),
            .pass(9), .ask("GET", [], .hit)),
        options(
            "maxAge when stale", .maxAge, nil, .server(200, ["Cache-Control: max-age=10", tag]), .ask("GET", [], .miss),
            .pass(10), .ask("GET", [], .miss)),
        options(
            "maxAge and no-cache", .maxAge, nil, .server(200, ["Cache-Control: max-age=10, no-cache"]),
            .ask("GET", [], .miss), .ask("GET", [], .miss)),
        options(
            "etag", .etag, nil, .server(200, [tag, "Cache-Control: max-age=10"]), .ask("GET", [], .miss),
            .ask("GET", [], .confirmed)),
        options("etag of nothing", .etag, nil, .server(200, []), .ask("GET", [], .miss), .ask("GET", [], .miss)),
        options(
            "loadIfOffline", .loadIfOffline, nil, .server(200, []), .ask("GET", [], .miss), .offline,
            .ask("GET", [], .fallback)),
        options(
            "loadIfOffline and must-revalidate", .loadIfOffline, nil,
            .server(200, ["Cache-Control: must-revalidate, max-age=1"]), .ask("GET", [], .miss), .pass(5), .offline,
            .ask("GET", [], .fallback)),
        options(
            "staleIfError", .staleIfError, nil, .server(200, []), .ask("GET", [], .miss), .server(503, []),
            .ask("GET", [], .fallback)),
        options(
            "loadOnError takes a 500 for an answer", .loadOnError, nil, .server(200, []), .ask("GET", [], .miss),
            .server(500, []), .ask("GET", [], .miss)),
        options(
            "staleWhileRevalidate", .staleWhileRevalidate, nil,
            .server(200, ["Cache-Control: max-age=1, stale-while-revalidate=60"]), .ask("GET", [], .miss), .pass(9),
            .ask("GET", [], .stale)),
        options(
            "404 removes", [.etag, .loadIfOffline], nil, .server(200, [tag]), .ask("GET", [], .miss), .server(404, []),
            .ask("GET", [], .replaced), .offline, .ask("GET", [], .failure)),
        options(
            "500 removes nothing", [.etag, .loadIfOffline], nil, .server(200, [tag]), .ask("GET", [], .miss),
            .server(500, []), .ask("GET", [], .replaced), .offline, .ask("GET", [], .fallback)),
    ]
}
