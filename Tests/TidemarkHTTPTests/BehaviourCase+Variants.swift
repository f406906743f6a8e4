import TidemarkHTTPRules

/// Answers that differ by the fields of their requests.
extension BehaviourCase {
    // MARK: RFC 9111, section 4.1

    static func varies(
        _ name: String, _ vary: [String], _ first: [String], _ second: [String], _ outcome: Outcome
    ) -> BehaviourCase {
        run(
            .vary, name, .server(200, ["Cache-Control: max-age=60"] + vary), .ask("GET", first, .miss),
            .ask("GET", second, outcome))
    }

    static let varying: [BehaviourCase] = [
        varies("the same value", ["Vary: A"], ["A: 1"], ["A: 1"], .hit),
        varies("another value", ["Vary: A"], ["A: 1"], ["A: 2"], .miss),
        varies("no value afterwards", ["Vary: A"], ["A: 1"], [], .miss),
        varies("no value before", ["Vary: A"], [], ["A: 1"], .miss),
        varies("no value at all", ["Vary: A"], [], [], .hit),
        varies("another field", ["Vary: A"], ["A: 1"], ["A: 1", "B: 2"], .hit),
        varies("two names, one differs", ["Vary: A, B"], ["A: 1", "B: 1"], ["A: 1", "B: 2"], .miss),
        varies("two names, the same", ["Vary: A, B"], ["A: 1", "B: 1"], ["B: 1", "A: 1"], .hit),
        varies("two lines", ["Vary: A", "Vary: B"], ["A: 1", "B: 1"], ["A: 1", "B: 2"], .miss),
        varies("case of the name", ["Vary: a"], ["A: 1"], ["A: 2"], .miss),
        varies("case of the value", ["Vary: A"], ["A: x"], ["A: X"], .miss),
        varies("spaces around commas", ["Vary: A"], ["A: 1, 2"], ["A: 1,2"], .hit),
        varies("lines and lists", ["Vary: A"], ["A: 1, 2"], ["A: 1", "A: 2"], .hit),
        varies("another order", ["Vary: A"], ["A: 1, 2"], ["A: 2, 1"], .miss),
        varies(
            "languages in another case", ["Vary: Accept-Language"], ["Accept-Language: EN, de"],
            ["Accept-Language: en,DE"], .hit),
        varies(
            "codings with spaces", ["Vary: Accept-Encoding"], ["Accept-Encoding: gzip;q=0.5"],
            ["Accept-Encoding: gzip; q=0.5"], .hit),
        varies("a star", ["Vary: *"], ["A: 1"], ["A: 1"], .miss),
        varies("a star among names", ["Vary: A, *"], ["A: 1"], ["A: 1"], .miss),
        varies("a name that is none", ["Vary: a b"], ["A: 1"], ["A: 1"], .miss),
        varies("an empty list", ["Vary: ,"], ["A: 1"], ["A: 2"], .hit),
        run(
            .vary, "three answers of one URL", .server(200, ["Cache-Control: max-age=60", "Vary: A"]),
            .ask("GET", ["A: 1"], .miss), .ask("GET", ["A: 2"], .miss), .ask("GET", ["A: 3"], .miss),
            .ask("GET", ["A: 3"], .hit)),
        run(
            .vary, "a new answer takes the place of its own variant",
            .server(200, ["Cache-Control: max-age=1", "Vary: A"]),
            .ask("GET", ["A: 1"], .miss), .pass(2), .ask("GET", ["A: 1"], .miss), .ask("GET", ["A: 1"], .hit)),
    ]
}
