import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct ResponseRulesTests {
    private func outcome(
        _ head: ResponseHead, _ old: StoredHead?, _ rules: CacheRules, conditional: Bool = true, later: Int64 = 0
    ) throws -> ResponseOutcome {
        ResponseRules.outcome(
            head, to: try request(), over: old, rules, isConditional: conditional, isKeyed: false,
            at: came + later * 1_000)
    }

    @Test func `a 304 confirms what was asked about`() throws {
        let old = stored(200, ["ETag: \"a\""])
        for rules in [CacheRules.standard, .options(.etag, timeout: nil)] {
            #expect(try outcome(answer(304), old, rules) == .confirmed)
            #expect(try outcome(answer(304, "ETag: W/\"a\""), old, rules) == .confirmed)
            #expect(try outcome(answer(304, "ETag: \"b\""), old, rules) == .new(.leave))
            #expect(try outcome(answer(304), old, rules, conditional: false) == .new(.leave))
        }
    }

    /// RFC 5861, section 4, and the options of Protocol/http.md.
    @Test(arguments: [500, 501, 502, 503, 504, 429, 404])
    func `an error falls back where it is allowed`(status: Int) throws {
        let listed = [500, 502, 503, 504].contains(status)
        let plain = stored(200, ["Cache-Control: max-age=1"])
        let permitting = stored(200, ["Cache-Control: max-age=1, stale-if-error=60"])
        let strict = stored(200, ["Cache-Control: max-age=1, stale-if-error=60, must-revalidate"])
        let head = answer(status)
        func falls(_ old: StoredHead, _ rules: CacheRules, _ later: Int64 = 10) throws -> Bool {
            try outcome(head, old, rules, later: later) == .fallBack
        }
        #expect(try falls(plain, .options(.staleIfError, timeout: nil)) == listed)
        #expect(try !falls(strict, .options(.staleIfError, timeout: nil)))
        #expect(try !falls(plain, .options(.loadOnError, timeout: nil)))
        #expect(try falls(permitting, .options(.loadOnError, timeout: nil)) == listed)
        #expect(try !falls(permitting, .options(.loadOnError, timeout: nil), 62))
        #expect(try !falls(permitting, .options(.etag, timeout: nil)))
        #expect(try falls(permitting, .standard) == listed)
        #expect(try !falls(permitting, .standard, 62))
        #expect(try !falls(strict, .standard))
        #expect(try !falls(plain, .standard))
    }

    @Test(arguments: ExchangeCode.allCases)
    func `a failure falls back where it is allowed`(code: ExchangeCode) throws {
        let sent = try request()
        let strict = stored(200, ["Cache-Control: max-age=1, must-revalidate"])
        let plain = stored(200, ["Cache-Control: max-age=1"])
        let permitting = stored(200, ["Cache-Control: max-age=1, stale-if-error=60"])
        func falls(_ old: StoredHead, _ rules: CacheRules) -> Bool {
            ResponseRules.fallsBack(on: code, to: sent, old, rules, at: came + 10_000)
        }
        let isError = [.timedOut, .connectionLost, .tlsFailed, .truncated].contains(code)
        #expect(falls(strict, .options(.loadIfOffline, timeout: nil)) == (code == .offline))
        #expect(falls(strict, .options(.loadOnError, timeout: nil)) == isError)
        #expect(!falls(plain, .options([.etag, .staleIfError, .maxAge], timeout: nil)))
        #expect(!falls(strict, .standard))
        #expect(falls(plain, .standard) == (code == .offline))
        #expect(falls(permitting, .standard) == (isError || code == .offline))
    }

    @Test func `an answer that may not be stored removes the one that it would have replaced`() throws {
        let options = CacheRules.options(.etag, timeout: nil)
        #expect(try outcome(answer(200), nil, options) == .new(.store))
        #expect(try outcome(answer(200, "Cache-Control: no-store"), nil, options) == .new(.remove))
        #expect(try outcome(answer(200, "Cache-Control: no-store"), nil, .standard) == .new(.remove))
        #expect(try outcome(answer(404), nil, options) == .new(.remove))
        #expect(try outcome(answer(410), nil, options) == .new(.remove))
        #expect(try outcome(answer(404), nil, .standard) == .new(.store))
        #expect(try outcome(answer(500), nil, options) == .new(.leave))
        #expect(try outcome(answer(302), nil, options) == .new(.leave))
        #expect(try outcome(answer(200), nil, .options([], timeout: nil)) == .new(.leave))
        #expect(
            ResponseRules.outcome(
                answer(200), to: try request("Cache-Control: no-store"), over: nil, .standard, isConditional: false,
                isKeyed: false, at: came) == .new(.leave))
    }

    @Test func `validators are those of the stored answer, for the URL that gave it`() throws {
        func sent(_ lines: [String], to text: String = "http://a.test/x") throws -> HeaderFields? {
            var sent = try request("If-None-Match: \"own\"", to: text)
            let validators = StoredValidators(stored(200, lines), from: try url("http://a.test/x"))
            return validators?.add(to: &sent) == true ? sent.fields : nil
        }
        #expect(
            try sent(["ETag: W/\"a\"", "Last-Modified: \(cameText)"])
                == fields(["If-None-Match: W/\"a\"", "If-Modified-Since: \(cameText)"]))
        #expect(try sent(["ETag:", "Last-Modified: x"]) == nil)
        #expect(try sent(["ETag: a"]) == fields(["If-None-Match: a"]))
        for other in ["http://a.test/y", "https://a.test/x", "http://b.test/x", "http://a.test/x?"] {
            #expect(try sent(["ETag: a"], to: other) == nil, "\(other)")
        }
    }

    /// RFC 9110, section 13.2.2.
    @Test(arguments: [
        (["If-None-Match: \"a\""], true), (["If-None-Match: \"b\""], false), (["If-None-Match: *"], true),
        (["If-Modified-Since: \(cameText)"], true), (["If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"], false),
        (["If-None-Match: \"b\"", "If-Modified-Since: \(cameText)"], false), ([], false),
        (["If-Modified-Since: x"], false),
        (["If-None-Match: W/\"a\""], true), (["If-None-Match: \"b\"", "If-None-Match: \"a\""], true),
    ])
    func `a caller that has the answer gets a 304`(lines: [String], isKnown: Bool) throws {
        var sent = try request()
        sent.fields = fields(lines)
        let head = answer(200, "ETag: \"a\"", "Last-Modified: \(cameText)")
        #expect(ResponseRules.isKnownToCaller(sent, head) == isKnown)
        sent.method = "POST"
        #expect(!ResponseRules.isKnownToCaller(sent, head))
    }

    @Test(arguments: [
        (CacheStatus(nil), "tidemark; hit"), (CacheStatus(.bypass), "tidemark; fwd=bypass"),
    ])
    func `the shortest statuses`(status: CacheStatus, text: String) { #expect(status.text == text) }

    @Test func `a status says why`() {
        var status = CacheStatus(.stale)
        status.forwardStatus = 304
        status.isCollapsed = true
        #expect(status.text == "tidemark; fwd=stale; fwd-status=304; collapsed")
        var hit = CacheStatus(nil)
        hit.timeToLive = 30
        #expect(hit.text == "tidemark; hit; ttl=30")
        var failed = CacheStatus(.stale)
        failed.detail = "offline"
        #expect(failed.text == "tidemark; fwd=stale; detail=offline")
    }
}
