import TidemarkHTTPRules
import TidemarkModel

/// One case of a cache's behaviour.
struct BehaviourCase: Sendable {
    enum Area: String, CaseIterable, Sendable {
        case freshness, expires, heuristics, age, responseDirectives, requestDirectives, pragma, vary, validators
        case updating, methods, head, invalidation, statuses, stale, offline, credentials, ranges, malformed, options
    }

    /// The way in which an answer came about, for its caller and its server.
    enum Outcome: Hashable, Sendable {
        /// Served without asking: fresh, or stale.
        case hit, stale
        /// A new answer, asked for without or with the stored validators.
        case miss, replaced
        /// The stored answer after a 304.
        case confirmed
        /// The stored answer after a question that failed.
        case fallback
        case gatewayTimeout
        case failure
    }

    enum Step: Sendable {
        /// The server answers so from now on; `{+60}` is the date 60 seconds after this step.
        case server(Int, [String])
        case offline
        case pass(Int64)
        case ask(String, [String], Outcome)
    }

    var area: Area
    var name: String
    var rules = CacheRules.standard
    var steps: [Step]

    /// Writes the dates of a field.
    static func dated(_ text: String, _ now: Int64) -> String {
        guard let open = text.firstIndex(of: "{"), let close = text.firstIndex(of: "}"), open < close,
            let seconds = Int64(text[text.index(after: open)..<close].replacing("+", with: ""))
        else { return text }
        return dated(
            text.replacingCharacters(open...close, with: HTTPDate.text(now / 1_000 + seconds)), now)
    }

    static let all =
        freshness + expires + heuristics + ages + directives + requests + varying + validating + updates
        + otherMethods + statusCodes + staleness + users + parts + malformedFields + restKit
}

extension String {
    fileprivate func replacingCharacters(_ range: ClosedRange<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[index(after: range.upperBound)...])
    }
}

// MARK: Short spellings

extension BehaviourCase {
    /// An answer that is asked for, and again after some seconds.
    static func twice(
        _ area: Area, _ name: String, _ lines: [String], after seconds: Int64 = 1, _ outcome: Outcome,
        request: [String] = [], status: Int = 200
    ) -> BehaviourCase {
        BehaviourCase(
            area: area, name: name,
            steps: [
                .server(status, lines), .ask("GET", [], .miss), .pass(seconds), .ask("GET", request, outcome),
            ])
    }

    static func run(_ area: Area, _ name: String, _ steps: Step...) -> BehaviourCase {
        BehaviourCase(area: area, name: name, steps: steps)
    }

    static let tag = "ETag: \"1\""

    // MARK: RFC 9111, section 4.2

    static let freshness: [BehaviourCase] = [
        twice(.freshness, "max-age is served within its time", ["Cache-Control: max-age=10"], after: 9, .hit),
        twice(.freshness, "max-age ends inclusively", ["Cache-Control: max-age=10"], after: 10, .miss),
        twice(.freshness, "max-age=0 is asked again", ["Cache-Control: max-age=0"], after: 0, .miss),
        twice(.freshness, "max-age=0 is asked again with its tag", ["Cache-Control: max-age=0", tag], .confirmed),
        twice(
            .freshness, "a stale answer is asked again with its tag", ["Cache-Control: max-age=10", tag], after: 11,
            .confirmed),
        twice(.freshness, "an answer without anything is asked again", [], .miss),
        twice(.freshness, "an answer with a tag alone is asked again", [tag], .confirmed),
        twice(.freshness, "max-age is stronger than Expires", ["Cache-Control: max-age=10", "Expires: {-60}"], .hit),
        twice(.freshness, "max-age=0 is stronger than Expires", ["Cache-Control: max-age=0", "Expires: {+60}"], .miss),
        twice(.freshness, "s-maxage means nothing to a private cache", ["Cache-Control: s-maxage=60"], .miss),
        twice(
            .freshness, "s-maxage does not shorten max-age", ["Cache-Control: max-age=60, s-maxage=1"], after: 30, .hit),
        twice(
            .freshness, "the smaller of two lifetimes counts", ["Cache-Control: max-age=60, max-age=1"], after: 2, .miss
        ),
        twice(
            .freshness, "the smaller of two lines counts", ["Cache-Control: max-age=1", "Cache-Control: max-age=60"],
            after: 2, .miss),
        twice(
            .freshness, "a lifetime of many digits is long", ["Cache-Control: max-age=99999999999999999999"],
            after: 1_000_000, .hit),
        twice(.freshness, "a lifetime of 2^31 is one", ["Cache-Control: max-age=2147483648"], after: 1_000_000, .hit),
        twice(.freshness, "leading zeros are digits", ["Cache-Control: max-age=00010"], after: 9, .hit),
        twice(.freshness, "a quoted number is one", ["Cache-Control: max-age=\"10\""], after: 9, .hit),
        twice(
            .freshness, "unknown directives are passed over", ["Cache-Control: x, max-age=10, y=\"z\""], after: 9, .hit),
        twice(.freshness, "case of names does not matter", ["CACHE-CONTROL: MAX-AGE=10"], after: 9, .hit),
        twice(
            .freshness, "a comma in quotes ends nothing", ["Cache-Control: x=\",max-age=0\", max-age=10"], after: 9,
            .hit),
        twice(.freshness, "empty members are passed over", ["Cache-Control: ,,max-age=10,"], after: 9, .hit),
        twice(.freshness, "a tab is a space", ["Cache-Control: \tmax-age=10\t"], after: 9, .hit),
    ]

    static let expires: [BehaviourCase] = [
        twice(.expires, "until it comes", ["Expires: {+60}", "Date: {+0}"], after: 59, .hit),
        twice(.expires, "not after it", ["Expires: {+60}", "Date: {+0}"], after: 60, .miss),
        twice(.expires, "counted from Date", ["Expires: {+60}", "Date: {+50}"], after: 11, .miss),
        twice(.expires, "without Date from its coming", ["Expires: {+60}"], after: 59, .hit),
        twice(.expires, "0 is the past", ["Expires: 0"], .miss),
        twice(.expires, "-1 is the past", ["Expires: -1"], .miss),
        twice(.expires, "empty is the past", ["Expires:"], .miss),
        twice(.expires, "words are the past", ["Expires: tomorrow"], .miss),
        twice(.expires, "another zone is the past", ["Expires: Fri, 31 Dec 2100 23:59:59 PST"], .miss),
        twice(.expires, "an offset is the past", ["Expires: Fri, 31 Dec 2100 23:59:59 +0000"], .miss),
        twice(.expires, "without a zone it is the past", ["Expires: Fri, 31 Dec 2100 23:59:59"], .miss),
        twice(.expires, "one digit of a day is the past", ["Expires: Fri, 1 Jan 2100 23:59:59 GMT"], .miss),
        twice(.expires, "a day that does not exist is the past", ["Expires: Sun, 31 Feb 2100 23:59:59 GMT"], .miss),
        twice(.expires, "the format of RFC 850", ["Expires: Friday, 31-Dec-55 23:59:59 GMT"], .hit),
        twice(.expires, "the format of asctime", ["Expires: Fri Dec 31 23:59:59 2100"], .hit),
        twice(.expires, "small letters", ["Expires: fri, 31 dec 2100 23:59:59 gmt"], .hit),
        twice(.expires, "the earlier of two", ["Expires: {+60}", "Expires: {+10}"], after: 11, .miss),
        twice(.expires, "one of two that is none", ["Expires: {+60}", "Expires: x"], .miss),
        twice(.expires, "far ahead", ["Expires: Fri, 31 Dec 9999 23:59:59 GMT"], after: 1_000_000, .hit),
    ]

    static let heuristics: [BehaviourCase] = [
        twice(.heuristics, "a tenth of its age", ["Last-Modified: {-1000}"], after: 99, .hit),
        twice(.heuristics, "not more", ["Last-Modified: {-1000}"], after: 100, .confirmed),
        twice(.heuristics, "at most a day", ["Last-Modified: {-100000000}"], after: 86_400, .confirmed),
        twice(
            .heuristics, "not with max-age", ["Last-Modified: {-1000}", "Cache-Control: max-age=1"], after: 2,
            .confirmed),
        twice(.heuristics, "not with Expires that is none", ["Last-Modified: {-1000}", "Expires: x"], .confirmed),
        twice(.heuristics, "not of a date ahead", ["Last-Modified: {+1000}"], .confirmed),
        twice(.heuristics, "not of what is no date", ["Last-Modified: x"], .miss),
        twice(.heuristics, "of 404", ["Last-Modified: {-1000}"], .hit, status: 404),
        twice(.heuristics, "of 410", ["Last-Modified: {-1000}"], .hit, status: 410),
        twice(.heuristics, "of 501", ["Last-Modified: {-1000}"], .hit, status: 501),
        twice(.heuristics, "not of 500", ["Last-Modified: {-1000}"], .miss, status: 500),
        twice(.heuristics, "not of 201", ["Last-Modified: {-1000}"], .miss, status: 201),
        twice(
            .heuristics, "of 201 that is public", ["Last-Modified: {-1000}", "Cache-Control: public"], .hit, status: 201
        ),
        twice(
            .heuristics, "of 599 that is public", ["Last-Modified: {-1000}", "Cache-Control: public"], .hit, status: 599
        ),
    ]

    static let ages: [BehaviourCase] = [
        twice(.age, "Age counts", ["Cache-Control: max-age=10", "Age: 5"], after: 4, .hit),
        twice(.age, "Age ends it sooner", ["Cache-Control: max-age=10", "Age: 5"], after: 5, .miss),
        twice(.age, "Age beyond the lifetime", ["Cache-Control: max-age=10", "Age: 50"], after: 0, .miss),
        twice(.age, "Age of many digits", ["Cache-Control: max-age=10", "Age: 99999999999999"], after: 0, .miss),
        twice(.age, "the first of a list", ["Cache-Control: max-age=10", "Age: 5, 50"], after: 4, .hit),
        twice(.age, "the first of two lines", ["Cache-Control: max-age=10", "Age: 5", "Age: 50"], after: 4, .hit),
        twice(.age, "negative counts as none", ["Cache-Control: max-age=10", "Age: -5"], after: 9, .hit),
        twice(.age, "a fraction counts as none", ["Cache-Control: max-age=10", "Age: 5.5"], after: 9, .hit),
        twice(.age, "words count as none", ["Cache-Control: max-age=10", "Age: old"], after: 9, .hit),
        twice(.age, "an old Date counts", ["Cache-Control: max-age=10", "Date: {-5}"], after: 5, .miss),
        twice(.age, "a Date ahead does not", ["Cache-Control: max-age=10", "Date: {+50}"], after: 9, .hit),
        twice(
            .age, "the larger of Date and Age", ["Cache-Control: max-age=10", "Date: {-2}", "Age: 7"], after: 3, .miss),
        twice(.age, "a Date that is none", ["Cache-Control: max-age=10", "Date: x"], after: 9, .hit),
        run(
            .age, "a confirmation begins it anew", .server(200, ["Cache-Control: max-age=10", "Age: 5", tag]),
            .ask("GET", [], .miss), .server(200, ["Cache-Control: max-age=10", tag]), .pass(6),
            .ask("GET", [], .confirmed), .pass(9), .ask("GET", [], .hit)),
    ]

    // MARK: RFC 9111, section 5.2.2; RFC 8246

    static let directives: [BehaviourCase] = [
        twice(.responseDirectives, "no-store", ["Cache-Control: no-store, max-age=10"], .miss),
        twice(.responseDirectives, "no-store with a value", ["Cache-Control: no-store=x, max-age=10"], .miss),
        twice(.responseDirectives, "NO-STORE", ["Cache-Control: NO-STORE, max-age=10"], .miss),
        twice(
            .responseDirectives, "no-store on a second line", ["Cache-Control: max-age=10", "Cache-Control: no-store"],
            .miss),
        twice(.responseDirectives, "no-cache", ["Cache-Control: no-cache, max-age=10"], .miss),
        twice(.responseDirectives, "no-cache with a tag", ["Cache-Control: no-cache, max-age=10", tag], .confirmed),
        twice(.responseDirectives, "no-cache of a field", ["Cache-Control: no-cache=\"x\", max-age=10"], .hit),
        twice(.responseDirectives, "no-cache of nothing", ["Cache-Control: no-cache=\"\", max-age=10"], .miss),
        twice(.responseDirectives, "private is for us", ["Cache-Control: private, max-age=10"], .hit),
        twice(.responseDirectives, "private fields are for us", ["Cache-Control: private=\"x\", max-age=10"], .hit),
        twice(.responseDirectives, "public", ["Cache-Control: public, max-age=10"], .hit),
        twice(.responseDirectives, "public alone is no freshness", ["Cache-Control: public"], .miss),
        twice(.responseDirectives, "must-revalidate while fresh", ["Cache-Control: must-revalidate, max-age=10"], .hit),
        twice(
            .responseDirectives, "must-revalidate when stale", ["Cache-Control: must-revalidate, max-age=10", tag],
            after: 11, .confirmed),
        twice(
            .responseDirectives, "proxy-revalidate is not for us", ["Cache-Control: proxy-revalidate, max-age=10"], .hit
        ),
        twice(.responseDirectives, "no-transform", ["Cache-Control: no-transform, max-age=10"], .hit),
        twice(
            .responseDirectives, "must-understand a known status",
            ["Cache-Control: must-understand, no-store, max-age=10"], .hit),
        twice(
            .responseDirectives, "must-understand an unknown status",
            ["Cache-Control: must-understand, no-store, max-age=10"], .miss, status: 299),
        twice(
            .responseDirectives, "immutable while fresh", ["Cache-Control: immutable, max-age=10"], .hit,
            request: ["Cache-Control: max-age=0"]),
        twice(
            .responseDirectives, "immutable when stale", ["Cache-Control: immutable, max-age=10", tag], after: 11,
            .confirmed, request: ["Cache-Control: max-age=0"]),
        twice(
            .responseDirectives, "immutable with a value is none", ["Cache-Control: immutable=1, max-age=10", tag],
            .confirmed, request: ["Cache-Control: max-age=0"]),
        twice(
            .responseDirectives, "Pragma of an answer means nothing",
            ["Pragma: no-cache", "Cache-Control: max-age=10"], .hit),
        twice(
            .responseDirectives, "Set-Cookie forbids nothing", ["Set-Cookie: a=b", "Cache-Control: max-age=10"], .hit),
        twice(
            .responseDirectives, "Clear-Site-Data says nothing to this cache",
            ["Clear-Site-Data: \"cookies\"", "Cache-Control: max-age=10"], .hit),
        twice(.responseDirectives, "CDN-Cache-Control is not for us", ["CDN-Cache-Control: max-age=60"], .miss),
        twice(.responseDirectives, "Surrogate-Control is not for us", ["Surrogate-Control: max-age=60"], .miss),
    ]

    // MARK: RFC 9111, section 5.2.1

    static let requests: [BehaviourCase] = [
        twice(
            .requestDirectives, "max-age=0", ["Cache-Control: max-age=10", tag], .confirmed,
            request: ["Cache-Control: max-age=0"]),
        twice(
            .requestDirectives, "max-age within", ["Cache-Control: max-age=10", tag], after: 5, .hit,
            request: ["Cache-Control: max-age=5"]),
        twice(
            .requestDirectives, "max-age beyond", ["Cache-Control: max-age=10", tag], after: 6, .confirmed,
            request: ["Cache-Control: max-age=5"]),
        twice(
            .requestDirectives, "max-age does not freshen", ["Cache-Control: max-age=10", tag], after: 11, .confirmed,
            request: ["Cache-Control: max-age=60"]),
        twice(
            .requestDirectives, "max-age that is none", ["Cache-Control: max-age=10", tag], .confirmed,
            request: ["Cache-Control: max-age=x"]),
        twice(
            .requestDirectives, "min-fresh within", ["Cache-Control: max-age=10", tag], after: 5, .hit,
            request: ["Cache-Control: min-fresh=5"]),
        twice(
            .requestDirectives, "min-fresh beyond", ["Cache-Control: max-age=10", tag], after: 6, .confirmed,
            request: ["Cache-Control: min-fresh=5"]),
        twice(
            .requestDirectives, "max-stale", ["Cache-Control: max-age=10", tag], after: 100, .stale,
            request: ["Cache-Control: max-stale"]),
        twice(
            .requestDirectives, "max-stale within", ["Cache-Control: max-age=10", tag], after: 15, .stale,
            request: ["Cache-Control: max-stale=5"]),
        twice(
            .requestDirectives, "max-stale beyond", ["Cache-Control: max-age=10", tag], after: 16, .confirmed,
            request: ["Cache-Control: max-stale=5"]),
        twice(
            .requestDirectives, "max-stale against must-revalidate",
            ["Cache-Control: max-age=10, must-revalidate", tag], after: 15, .confirmed,
            request: ["Cache-Control: max-stale"]),
        twice(
            .requestDirectives, "no-cache", ["Cache-Control: max-age=10", tag], .confirmed,
            request: ["Cache-Control: no-cache"]),
        twice(
            .requestDirectives, "no-cache without a tag", ["Cache-Control: max-age=10"], .miss,
            request: ["Cache-Control: no-cache"]),
        twice(
            .requestDirectives, "no-cache against immutable", ["Cache-Control: max-age=10, immutable", tag], .confirmed,
            request: ["Cache-Control: no-cache"]),
        twice(
            .requestDirectives, "only-if-cached when fresh", ["Cache-Control: max-age=10"], .hit,
            request: ["Cache-Control: only-if-cached"]),
        twice(
            .requestDirectives, "only-if-cached when stale", ["Cache-Control: max-age=10"], after: 11, .gatewayTimeout,
            request: ["Cache-Control: only-if-cached"]),
        twice(
            .requestDirectives, "only-if-cached with max-stale", ["Cache-Control: max-age=10"], after: 11, .stale,
            request: ["Cache-Control: only-if-cached, max-stale"]),
        run(
            .requestDirectives, "only-if-cached of nothing",
            .ask("GET", ["Cache-Control: only-if-cached"], .gatewayTimeout)),
        run(
            .requestDirectives, "no-store of a request", .server(200, ["Cache-Control: max-age=10"]),
            .ask("GET", ["Cache-Control: no-store"], .miss), .ask("GET", [], .miss), .ask("GET", [], .hit)),
        twice(
            .requestDirectives, "unknown directives", ["Cache-Control: max-age=10"], .hit,
            request: ["Cache-Control: x=y"]),
        twice(.pragma, "no-cache", ["Cache-Control: max-age=10", tag], .confirmed, request: ["Pragma: no-cache"]),
        twice(
            .pragma, "beside Cache-Control", ["Cache-Control: max-age=10", tag], .hit,
            request: ["Pragma: no-cache", "Cache-Control: max-age=5"]),
        twice(.pragma, "another word", ["Cache-Control: max-age=10"], .hit, request: ["Pragma: x"]),
        twice(.pragma, "of an answer", ["Pragma: no-cache", "Expires: {+60}"], .hit),
    ]
}
