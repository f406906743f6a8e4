import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

@Suite(.pooled) struct AggregateTests {
    private func code(_ text: String) -> [UInt8] { ValueSlice(Array(text.utf8)).exactCode }

    private func state(_ function: ViewAggregate.Function, _ values: [String]) -> String? {
        var state = AggregateState(function)
        for value in values { state.add(.value(code: code(value))) }
        return state.text.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (["1.10", "2.20"], "3.3"), (["0.1", "0.2"], "0.3"), (["-0"], "0"), ([], "0"), (["1e3"], "1000"),
            (["18446744073709551615", "1"], "18446744073709551616"), (["1", "-1"], "0"), (["5", "-7.5"], "-2.5"),
            (["1e39"], "1000000000000000000000000000000000000000"), (["1e40"], "1e40"), (["1.25e61"], "1.25e61"),
            (["1e-38"], "0.00000000000000000000000000000000000001"),
            (["1e-39"], "0.000000000000000000000000000000000000001"),
            (["1e-40"], "1e-40"),
            (
                ["1e30", "1e-30"],
                "1000000000000000000000000000000.000000000000000000000000000001"
                    .count > 41 ? "1.000000000000000000000000000000000000000000000000000000000001e30" : ""
            ),
            (["1e6144"], "1e6144"), (["1e6145", "2"], "2"), (["1e-6144"], "1e-6144"), (["1e-6145", "3"], "3"),
            (
                ["1234567890123456789012345678901234567890123456789012345678901234"],
                "1.234567890123456789012345678901234567890123456789012345678901234e63"
            ),
            (["12345678901234567890123456789012345678901234567890123456789012345", "1"], "1"),
            ([#""7""#, "true", "[1]", "2"], "2"),
        ] as [([String], String)])
    func `a sum is exact and shown in its shortest spelling`(values: [String], wanted: String) {
        #expect(state(.sum, values) == wanted)
    }

    @Test(
        arguments: [
            (["1", "2"], "1.5"), (["1", "1", "2"], "1.3333333333333333333"),
            (["2", "2", "1"], "1.6666666666666666667"),
            (["1e-5", "0", "0"], "0.0000033333333333333333333"), (["0", "0"], "0"),
            (["10000000000000000000.5", "10000000000000000000.5"], "10000000000000000000"),
            (["10000000000000000001.5"], "10000000000000000002"), (["99999999999999999999.5"], "100000000000000000000"),
            (["10000000000000000000.51"], "10000000000000000001"), (["-1", "-2", "-2"], "-1.6666666666666666667"),
        ] as [([String], String)])
    func `an average has 20 digits, half to even`(values: [String], wanted: String) {
        #expect(state(.avg, values) == wanted)
    }

    @Test func `aggregates without a value are absent`() {
        for function in [ViewAggregate.Function.avg, .min, .max] { #expect(state(function, []) == nil) }
        #expect(state(.min, ["[1]", "{}"]) == nil)
        #expect(state(.countDistinct, ["1", "1.0", "10e-1", #"{"a":1,"b":2}"#, #"{"b":2,"a":1.0}"#]) == "2")
        #expect(state(.min, ["2", #""a""#, "true"]) == "true")
        #expect(state(.max, ["2.50", #""\u0061\u0000""#, "true"]) == #""a\u0000""#)
    }

    @Test func `sums and averages equal school arithmetic while numbers come and go`() throws {
        for seed in TestScale.seeds(60) {
            var random = SeededGenerator(seed: seed)
            var values: [String] = []
            var (sum, avg, least) = (AggregateState(.sum), AggregateState(.avg), AggregateState(.min))
            for _ in 0..<40 {
                if !values.isEmpty, random.percent(45) {
                    let value = values.remove(at: random.count(0...values.count - 1))
                    for index in 0..<3 where index >= 0 {
                        let input = AggregateInput.value(code: code(value))
                        if index == 0 {
                            sum.remove(input)
                        } else if index == 1 {
                            avg.remove(input)
                        } else {
                            least.remove(input)
                        }
                    }
                } else {
                    let digits = String((0..<random.count(1...20)).map { _ in random.one(Array("0123456789")) })
                    let exponent = random.percent(30) ? "e\(random.count(-60...60))" : ""
                    let fraction = random.percent(40) ? ".\(random.count(0...99_999))" : ""
                    let whole = digits.drop { $0 == "0" }
                    let value = "\(random.percent(40) ? "-" : "")\(whole.isEmpty ? "0" : whole)\(fraction)\(exponent)"
                    values.append(value)
                    let input = AggregateInput.value(code: code(value))
                    sum.add(input)
                    avg.add(input)
                    least.add(input)
                }
                let naive = values.compactMap { NaiveDecimal(Array($0.utf8)) }
                #expect(sum.text == Array(NaiveDecimal.sum(naive).text.utf8), "seed \(seed): \(values)")
                let mean = naive.isEmpty ? nil : NaiveDecimal.sum(naive).divided(by: naive.count).text
                #expect(avg.text == mean.map { Array($0.utf8) }, "seed \(seed): \(values)")
                let first = values.min {
                    ReferenceComparison.order(.number(Array($0.utf8)), .number(Array($1.utf8))) < 0
                }
                #expect(least.text == first.flatMap { NaiveDecimal(Array($0.utf8)) }.map { Array($0.text.utf8) })
            }
        }
    }
}
