import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct FreshnessTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var fields: [String]
        var lifetime: Int64
        var isExplicit = true
        var status = 200
        var testDescription: String { "\(status) \(fields)" }
    }

    private static func date(_ offset: Int64) -> String { HTTPDate.text(came / 1_000 + offset) }

    /// RFC 9111, sections 4.2.1, 4.2.2 and 5.3.
    @Test(arguments: [
        Case(fields: ["Cache-Control: max-age=60"], lifetime: 60),
        Case(fields: ["Cache-Control: s-maxage=60"], lifetime: 0, isExplicit: false),
        Case(fields: ["Cache-Control: max-age=60, s-maxage=5"], lifetime: 60),
        Case(fields: ["Cache-Control: max-age=5", "Expires: \(date(60))", "Date: \(date(0))"], lifetime: 5),
        Case(fields: ["Expires: \(date(60))", "Date: \(date(0))"], lifetime: 60),
        Case(fields: ["Expires: \(date(60))", "Date: \(date(10))"], lifetime: 50),
        Case(fields: ["Expires: \(date(60))"], lifetime: 60),
        Case(fields: ["Expires: \(date(-60))", "Date: \(date(0))"], lifetime: 0),
        Case(fields: ["Expires: 0"], lifetime: 0), Case(fields: ["Expires: -1"], lifetime: 0),
        Case(fields: ["Expires: never"], lifetime: 0), Case(fields: ["Expires:"], lifetime: 0),
        Case(fields: ["Expires: \(date(60))", "Expires: \(date(10))"], lifetime: 10),
        Case(fields: ["Expires: \(date(60))", "Expires: x"], lifetime: 0),
        Case(fields: ["Cache-Control: max-age=x", "Expires: \(date(60))"], lifetime: 0),
        Case(fields: ["Last-Modified: \(date(-1_000))", "Date: \(date(0))"], lifetime: 100, isExplicit: false),
        Case(fields: ["Last-Modified: \(date(-1_000))"], lifetime: 100, isExplicit: false),
        Case(fields: ["Last-Modified: \(date(-100 * 86_400))"], lifetime: 86_400, isExplicit: false),
        Case(fields: ["Last-Modified: \(date(100))"], lifetime: 0, isExplicit: false),
        Case(fields: ["Last-Modified: yesterday"], lifetime: 0, isExplicit: false),
        Case(fields: ["ETag: \"a\""], lifetime: 0, isExplicit: false),
        Case(fields: [], lifetime: 0, isExplicit: false),
        Case(fields: ["Last-Modified: \(date(-1_000))"], lifetime: 100, isExplicit: false, status: 404),
        Case(fields: ["Last-Modified: \(date(-1_000))"], lifetime: 0, isExplicit: false, status: 302),
        Case(
            fields: ["Last-Modified: \(date(-1_000))", "Cache-Control: public"], lifetime: 100, isExplicit: false,
            status: 302),
        Case(fields: ["Cache-Control: max-age=9", "Cache-Control: max-age=3"], lifetime: 3),
    ])
    func `an answer is fresh as long as it says, or a tenth of its age`(expected: Case) {
        let freshness = Freshness(stored(expected.status, expected.fields), at: came)
        #expect(freshness.lifetime == expected.lifetime)
        #expect(freshness.isExplicit == expected.isExplicit)
    }

    /// RFC 9111, section 4.2.3 and 5.1.
    @Test(
        arguments: [
            (["Date: \(date(0))"], 0, 0, 0), (["Date: \(date(0))"], 5_999, 0, 5), (["Date: \(date(-10))"], 0, 0, 10),
            (["Date: \(date(10))"], 0, 0, 0), (["Age: 7"], 0, 0, 7), (["Age: 7"], 3_000, 0, 10),
            (["Age: 7"], 0, 2_000, 9), (["Age: 7", "Date: \(date(-20))"], 0, 0, 20), (["Age: 7, 9"], 0, 0, 7),
            (["Age: 7", "Age: 9"], 0, 0, 7), (["Age: x"], 1_000, 0, 1), (["Age: -5"], 0, 0, 0), (["Age: 1.5"], 0, 0, 0),
            (["Age:"], 0, 0, 0), (["Date: x"], 4_000, 0, 4), (["Age: 99999999999999"], 0, 0, 1 << 31),
            (["Age: 0"], -5_000, 0, 0),
        ] as [([String], Int64, Int64, Int64)])
    func `the age counts the way, the wait and the shelf`(lines: [String], later: Int64, delay: Int64, age: Int64) {
        #expect(Freshness(stored(200, lines, delay: delay), at: came + later).age == age)
    }

    @Test func `an answer is fresh until its age reaches its lifetime`() {
        let answer = stored(200, ["Cache-Control: max-age=10"])
        #expect(Freshness(answer, at: came + 9_999).isFresh)
        #expect(!Freshness(answer, at: came + 10_000).isFresh)
        #expect(Freshness(answer, at: came + 12_000).staleness == 2)
    }

    /// RFC 9111, section 5.2.1.1: ages are compared in milliseconds.
    @Test func `ages of one second are told apart`() {
        let answer = stored(200, ["Age: 1", "Cache-Control: max-age=3"], delay: 400)
        #expect(Freshness(answer, at: came + 600).age == 2)
        #expect(Freshness(answer, at: came + 1_599).isFresh && !Freshness(answer, at: came + 1_600).isFresh)
        #expect(Freshness(answer, at: came + 2_600).isStale(byAtMost: 1))
        #expect(!Freshness(answer, at: came + 2_601).isStale(byAtMost: 1))
    }

    @Test func `an answer whose time is in doubt is never fresh`() {
        var answer = stored(200, ["Cache-Control: max-age=10"])
        answer.isUndated = true
        #expect(!Freshness(answer, at: came + 1).isFresh && Freshness(answer, at: came + 1).staleness == nil)
        #expect(!Freshness(answer, at: came + 1).isStale(byAtMost: 1_000))
        let confirmed = answer.confirmed(
            by: ResponseHead(status: 304, fields: HeaderFields()), requestedAt: came, answeredAt: came)
        #expect(Freshness(confirmed, at: came + 1).isFresh)
    }

    @Test func `a clock that jumps back makes nothing fresh`() {
        let answer = stored(200, ["Cache-Control: max-age=10"])
        let freshness = Freshness(answer, at: came - 1)
        #expect(!freshness.isFresh && freshness.staleness == nil && freshness.age == 0)
        #expect(answer.sinceConfirmed(at: came - 5_000) == 0)
        #expect(Freshness(answer, at: .min).age == 0)
        #expect(Freshness(answer, at: .max).age > 0)
    }
}
