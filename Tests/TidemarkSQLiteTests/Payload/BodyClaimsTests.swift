import TestTraits
import Testing
import TidemarkTesting

@testable import TidemarkSQLite

/// The claims of rows for encoding, in every order in which threads may come.
@Suite(.pooled) struct BodyClaimsTests {
    /// The listed cuts, and the states of them.
    private struct Model {
        var cuts: [(end: Int, isLarge: Bool)] = []
        var encoded: Set<Int> = []
        var written: [Int] = []
        var claimedCount = 0
        var rowCount: Int { cuts.last?.end ?? 0 }

        func cut(from start: Int) -> (end: Int, isLarge: Bool) {
            cuts.first { $0.end > start } ?? (start, false)
        }

        mutating func claimed(_ claim: BodyClaims.Claim, seed: UInt64) {
            let start = claimedCount == 0 ? 0 : cuts[claimedCount - 1].end
            #expect(claim == BodyClaims.Claim(turn: claimedCount, rows: start..<cuts[claimedCount].end), "seed \(seed)")
            claimedCount += 1
            #expect(claimedCount - written.count <= BodyClaims.chunkCount, "seed \(seed): more chunks than there are")
            if cuts[claim.turn].isLarge {
                #expect(written.count == claim.turn, "seed \(seed): a large one beside others")
            }
        }
    }

    @Test(arguments: UInt64(1)...200) func `every row is encoded once and written in order, in any order of threads`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            model.cuts.append((model.rowCount + Int.random(in: 1...5, using: &random), random.next() % 6 == 0))
        }
        var claims = BodyClaims(rowCount: model.rowCount)
        let helperCount = Int(seed % 4)
        for _ in 0..<helperCount {
            let isIn = claims.enter()
            #expect(isIn)
        }
        // A nil means that nobody encodes; the writer may have one claim, each helper one.
        var held = [BodyClaims.Claim?](repeating: nil, count: helperCount + 1)
        var isThrough = false
        for _ in 0..<100_000 where !isThrough {
            let who = Int.random(in: 0...helperCount, using: &random)
            if let claim = held[who] {
                held[who] = nil
                model.encoded.insert(claim.turn)
                claims.filled(claim)
                continue
            }
            switch who == helperCount ? claims.writerStep(model.cut) : claims.helperStep(model.cut) {
            case .encode(let claim):
                model.claimed(claim, seed: seed)
                held[who] = claim
            case .write(let chunk):
                let turn = model.written.count
                #expect(who == helperCount && chunk == turn % BodyClaims.chunkCount, "seed \(seed)")
                #expect(model.encoded.contains(turn), "seed \(seed): written before it was encoded")
                model.written.append(turn)
                claims.written()
            case .wait:
                // Another thread is at work, or the writer has something to do.
                if who == helperCount { #expect(held.contains { $0 != nil }, "seed \(seed): nobody goes on") }
            case .leave:
                if who == helperCount { isThrough = true }
            }
        }
        #expect(isThrough, "seed \(seed)")
        #expect(model.written == Array(model.cuts.indices), "seed \(seed)")
        claims.end()
        let isIn = claims.enter()
        #expect(!isIn, "seed \(seed): one came after the end")
    }

    @Test func `after the end nothing is claimed`() {
        var claims = BodyClaims(rowCount: 10)
        let isIn = claims.enter()
        claims.end()
        let step = claims.helperStep { ($0 + 1, false) }
        #expect(isIn && step == .leave)
        #expect(claims.helperCount == 1)
        claims.leave()
        #expect(claims.helperCount == 0)
    }
}
