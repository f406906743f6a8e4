import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Checks that a gate keeps law L4 under random disorder: every event is applied at most once, in order. An event that
/// was not applied does not exist, is lost, or was declared as skipped.
///
/// ```swift
/// for seed in TestScale.seeds(100) {
///     try GateConformance().run(seed: seed)
/// }
/// ```
package struct GateConformance {
    /// A violation by the gate.
    package struct Failure: Error, CustomStringConvertible {
        /// The seed that reproduces it.
        package let seed: UInt64
        /// The violation in words.
        package let message: String

        /// The seed and the violation.
        package var description: String { "seed \(seed): \(message)" }
    }

    /// The number of events in one run.
    package var eventCount = 200

    /// Creates a check with the default number of events.
    package init() {}

    /// Runs one seed.
    ///
    /// - Throws: ``Failure`` if the gate violates the law.
    package func run(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var gate = SequenceGate(limits: Limits())
        let log = makeLog(&random)
        var arrivals = log.filter { _ in !random.chance(60) }
        for index in arrivals.indices where random.chance(200) {
            arrivals.swapAt(index, min(arrivals.count - 1, index + random.below(12)))
        }
        for _ in 0..<random.below(30) { arrivals.insert(random.pick(log), at: random.below(arrivals.count + 1)) }

        var applied: [Int64] = []
        var late: [Int64] = []
        var refused = 0
        for event in arrivals {
            let before = gate.cursor
            switch gate.verdict(on: event.sequence, previous: event.previous, epoch: nil) {
            case .apply:
                gate.advance(to: event.sequence)
                applied.append(event.sequence.rawValue)
            case .duplicate: refused += 1
            case .late:
                gate.recover(LostRange(first: event.sequence, last: event.sequence))
                late.append(event.sequence.rawValue)
            case .hold: if gate.hold(event) == .duplicate { refused += 1 }
            case .newEpoch: throw Failure(seed: seed, message: "a new epoch without an epoch")
            }
            refused += drain(&gate, into: &applied)
            if random.chance(30), gate.declareLost() != nil { refused += drain(&gate, into: &applied) }
            if let before, let cursor = gate.cursor, cursor < before {
                throw Failure(seed: seed, message: "the cursor went back from \(before) to \(cursor)")
            }
        }
        while gate.declareLost() != nil { refused += drain(&gate, into: &applied) }
        try check(gate, log, arrivals, applied, late, refused, seed)
    }

    /// Returns a log of ascending sequences; some events skip numbers, and declare this with `previous`.
    private func makeLog(_ random: inout SeededGenerator) -> [HeldEvent] {
        var last = Int64(random.below(100))
        return (0..<eventCount).map { _ in
            let previous = last
            last += random.chance(150) ? Int64(2 + random.below(4)) : 1
            return HeldEvent(
                event: ChangeEvent(kind: .changed, line: 0), members: [], bytes: [], sequence: EventSequence(last),
                previous: EventSequence(previous), source: .upstream, offset: 0, byteCount: 1, heldAt: 0)
        }
    }

    /// Applies the held events that are ready.
    ///
    /// - Returns: How many held events the cursor had passed already.
    private func drain(_ gate: inout SequenceGate, into applied: inout [Int64]) -> Int {
        var passed = 0
        while let ready = gate.takeReady() {
            switch ready {
            case .passed: passed += 1
            case .apply(let event):
                gate.advance(to: event.sequence)
                applied.append(event.sequence.rawValue)
            }
        }
        return passed
    }

    private func check(
        _ gate: SequenceGate, _ log: [HeldEvent], _ arrivals: [HeldEvent], _ applied: [Int64], _ late: [Int64],
        _ refused: Int, _ seed: UInt64
    ) throws {
        func fail(_ message: String) -> Failure { Failure(seed: seed, message: message) }
        guard zip(applied, applied.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw fail("applied out of order: \(applied)")
        }
        guard applied.count + late.count + refused == arrivals.count else {
            throw fail("\(applied.count) applied, \(late.count) late and \(refused) refused of \(arrivals.count)")
        }
        guard gate.held.isEmpty, gate.missing == nil else { throw fail("something is held or missing at the end") }
        guard let first = applied.first, let cursor = gate.cursor else { throw fail("nothing was applied") }
        let lost = Set(gate.lost.ranges.flatMap { $0.first.rawValue...$0.last.rawValue })
        let own = Set(applied + late)
        guard own.count == applied.count + late.count else { throw fail("applied twice: \(applied) and late \(late)") }
        guard own.isDisjoint(with: lost) else { throw fail("applied and lost: \(own.intersection(lost).sorted())") }
        for event in log where event.sequence.rawValue > first && event.sequence <= cursor {
            guard own.contains(event.sequence.rawValue) || lost.contains(event.sequence.rawValue) else {
                throw fail("\(event.sequence) was neither applied nor lost")
            }
        }
        guard gate.isStale == !lost.isEmpty else { throw fail("stale is \(gate.isStale) with \(lost.count) lost") }
    }
}
