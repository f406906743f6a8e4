import TestTraits
import Testing

@testable import TidemarkTesting

@Suite(.pooled) struct ZipfTests {
    @Test func `ranks are drawn with chances proportional to one over the rank`() {
        let ranks = ZipfRanks(rankCount: 100)
        var random = SeededGenerator(seed: 7)
        var counts = Array(repeating: 0, count: 101)
        let drawCount = 200_000
        for _ in 0..<drawCount { counts[ranks.draw(from: &random)] += 1 }
        let harmonic = (1...100).reduce(0.0) { $0 + 1 / Double($1) }
        #expect(counts[0] == 0)
        for rank in [1, 2, 3, 4, 7, 8, 50, 100] {
            let expected = Double(drawCount) / harmonic / Double(rank)
            let deviation = abs(Double(counts[rank]) - expected) / expected
            #expect(deviation < 0.15, "rank \(rank): \(counts[rank]) instead of \(expected)")
        }
    }

    @Test func `a single rank is always drawn`() {
        var random = SeededGenerator(seed: 1)
        #expect(ZipfRanks(rankCount: 1).draw(from: &random) == 1)
    }
}

@Suite(.pooled) struct ShareTests {
    @Test(arguments: [
        ("0", 0), ("1", 1_000_000), ("0.01", 10_000), ("1%", 10_000), ("100%", 1_000_000), ("0.5%", 5_000),
        ("0.000001", 1),
    ])
    func `a share is read from a number or a percentage`(text: String, partsPerMillion: Int) {
        #expect(Share(text: text)?.partsPerMillion == partsPerMillion)
    }

    @Test(arguments: ["", "%", "1.1", "101%", "-0.1", "0.0000001", "1e-3", ".", "1.", "a", "0.1.2"])
    func `another text than a number or a percentage is refused`(text: String) {
        #expect(Share(text: text) == nil)
    }
}
