import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct CacheDecisionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var stored: [String]
        var request: [String] = []
        /// Seconds since the answer came.
        var later: Int64
        var decision: CacheDecision
        var testDescription: String { "\(stored) \(request) after \(later) s" }

        init(_ stored: [String], _ later: Int64, _ decision: CacheDecision) {
            self.init(stored, [], later, decision)
        }

        init(_ stored: [String], _ request: [String], _ later: Int64, _ decision: CacheDecision) {
            (self.stored, self.request, self.later, self.decision) = (stored, request, later, decision)
        }
    }

    static let serve = CacheDecision.serve(asks: false)
    static let stale = CacheDecision.ask(.stale, isConditional: true)
    static let asked = CacheDecision.ask(.request, isConditional: true)
    static let fresh = "Cache-Control: max-age=100"

    /// RFC 9111, sections 4.2.4 and 5.2; RFC 5861; RFC 8246.
    @Test(arguments: [
        Case([fresh], 99, serve), Case([fresh], 100, stale), Case([], 0, stale),
        Case(["Cache-Control: max-age=100, no-cache"], 1, stale),
        Case(["Cache-Control: max-age=100, no-cache=\"x\""], 1, serve),
        Case(["Cache-Control: max-age=100, no-cache=\"x\""], 100, stale),
        Case(["Cache-Control: max-age=100, no-cache=\"x y\""], 1, stale),
        Case([fresh], ["Cache-Control: no-cache=\"x\""], 1, asked),
        Case(["Cache-Control: max-age=100, must-revalidate"], 1, serve),
        Case([fresh], ["Cache-Control: no-cache"], 1, asked), Case([fresh], ["Pragma: no-cache"], 1, asked),
        Case([fresh], ["Cache-Control: no-store"], 1, serve),
        Case([fresh], ["Cache-Control: max-age=0"], 1, asked), Case([fresh], ["Cache-Control: max-age=0"], 0, serve),
        Case([fresh], ["Cache-Control: max-age=50"], 50, serve),
        Case([fresh], ["Cache-Control: max-age=50"], 51, asked),
        Case(["Cache-Control: max-age=100, immutable"], ["Cache-Control: max-age=0"], 1, serve),
        Case(["Cache-Control: max-age=100, immutable"], ["Cache-Control: max-age=0"], 100, stale),
        Case(["Cache-Control: max-age=100, immutable"], ["Cache-Control: no-cache"], 1, asked),
        Case([fresh], ["Cache-Control: min-fresh=50"], 50, serve),
        Case([fresh], ["Cache-Control: min-fresh=50"], 51, asked),
        Case([fresh], ["Cache-Control: min-fresh=101"], 0, asked),
        Case([fresh], ["Cache-Control: min-fresh=x"], 0, asked),
        Case([fresh], ["Cache-Control: max-stale"], 100_000, serve),
        Case([fresh], ["Cache-Control: max-stale=10"], 110, serve),
        Case([fresh], ["Cache-Control: max-stale=10"], 111, stale),
        Case([fresh], ["Cache-Control: max-stale=x"], 101, stale),
        Case(["Cache-Control: max-age=100, must-revalidate"], ["Cache-Control: max-stale"], 101, stale),
        Case(["Cache-Control: max-age=100, no-cache"], ["Cache-Control: max-stale"], 101, stale),
        Case([fresh], ["Cache-Control: max-stale, max-age=50"], 101, stale),
        Case([fresh], ["Cache-Control: max-stale, min-fresh=1"], 101, stale),
        Case(["Cache-Control: max-age=100, stale-while-revalidate=10"], 110, .serve(asks: true)),
        Case(["Cache-Control: max-age=100, stale-while-revalidate=10"], 111, stale),
        Case(["Cache-Control: max-age=100, stale-while-revalidate=10, must-revalidate"], 105, stale),
        Case(["Cache-Control: max-age=100, stale-while-revalidate=10, no-cache"], 105, stale),
        Case([fresh], ["Cache-Control: only-if-cached"], 1, serve),
        Case([fresh], ["Cache-Control: only-if-cached"], 101, .gatewayTimeout),
        Case([fresh], ["Cache-Control: only-if-cached, max-stale=10"], 101, serve),
        Case(["Cache-Control: max-age=100, stale-while-revalidate=10"], ["Cache-Control: only-if-cached"], 105, serve),
        Case([fresh], 100, stale), Case([fresh, "Age: 50"], 49, serve), Case([fresh, "Age: 50"], 50, stale),
        Case([fresh], -1, stale),
    ])
    func `standard decides as the RFCs say`(expected: Case) throws {
        var sent = try request()
        sent.fields = fields(expected.request)
        #expect(
            CacheDecision.of(sent, stored(200, expected.stored), .standard, at: came + expected.later * 1_000)
                == expected.decision)
    }

    @Test func `without a stored answer somebody is asked, or nobody may be`() throws {
        #expect(CacheDecision.of(try request(), nil, .standard, at: came) == .ask(.uriMiss, isConditional: false))
        #expect(
            CacheDecision.of(try request("Cache-Control: only-if-cached"), nil, .standard, at: came) == .gatewayTimeout)
        #expect(
            CacheDecision.of(try request(), nil, .standard, miss: .varyMiss, at: came)
                == .ask(.varyMiss, isConditional: false))
    }

    /// Every combination of RestKit's options, against the order that Protocol/http.md states.
    @Test(arguments: 0..<256)
    func `options decide in their order`(bits: UInt16) throws {
        let options = CacheOptions(rawValue: bits)
        for (line, later) in [
            (Self.fresh, 1), (Self.fresh, 50), (Self.fresh, 101), ("X: y", 1), ("X: y", 50),
            ("Cache-Control: max-age=10, stale-while-revalidate=60", 50), ("Cache-Control: max-age=100, no-cache", 50),
            ("Cache-Control: max-age=10, stale-while-revalidate=60, must-revalidate", 50),
        ] as [(String, Int64)] {
            let old = stored(200, [line])
            let now = came + later * 1_000
            let isFresh = line == Self.fresh && later < 100 || line.contains("no-cache")
            let expected: CacheDecision =
                if options.isEmpty {
                    .ask(.bypass, isConditional: false)
                } else if options.contains(.enabled) || options.contains(.timeout) && later <= 30 {
                    Self.serve
                } else if options.contains(.maxAge), line == Self.fresh, later < 100 {
                    Self.serve
                } else if options.contains(.staleWhileRevalidate), line.hasSuffix("revalidate=60") {
                    .serve(asks: true)
                } else {
                    .ask(isFresh ? .request : .stale, isConditional: options.contains(.etag))
                }
            let rules = CacheRules.options(options, timeout: options.contains(.timeout) ? 30 : nil)
            #expect(
                CacheDecision.of(try request(), old, rules, at: now) == expected, "\(options.rawValue) \(line) \(later)"
            )
            #expect(
                CacheDecision.of(try request(), nil, rules, at: now)
                    == .ask(options.isEmpty ? .bypass : .uriMiss, isConditional: false))
        }
    }

    @Test func `the timeout is inclusive, in whole seconds rounded down`() throws {
        let rules = CacheRules.options(.timeout, timeout: 5)
        let old = stored(200, [])
        #expect(CacheDecision.of(try request(), old, rules, at: came + 5_999) == Self.serve)
        #expect(CacheDecision.of(try request(), old, rules, at: came + 6_000) == .ask(.stale, isConditional: false))
        #expect(CacheDecision.of(try request(), old, rules, at: came - 1) == .ask(.stale, isConditional: false))
    }
}
