import TidemarkModel

/// The cost of an event when there are queries, both unrelated and affected ones.
enum IndexSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let size = QueryFixture.Size.of(smoke: isSmoke)
        let eventCount = isSmoke ? 1_000 : 20_000
        let counts = isSmoke ? [10, 100, 1_000] : [10, 100, 1_000, 10_000, 100_000]
        let events = try QueryFixture.events(size, setCount: runs + 1, eventCount: eventCount)
        for unrelated in QueryFixture.Unrelated.allCases {
            for count in counts {
                // The smallest number of queries is compared with none, and every other number with the smallest: the
                // cost must not depend on the number of queries.
                let reference = try QueryFixture(size, unrelated, queryCount: count == counts[0] ? 0 : counts[0])
                let subject = try QueryFixture(size, unrelated, queryCount: count)
                report.add(
                    try await compare(
                        "\(count) \(unrelated.rawValue)", events, eventCount, goal: count == counts[0] ? nil : 1.3,
                        referenceName: count == counts[0] ? "no queries" : "\(counts[0])", reference, subject),
                    place: Figure.Place(
                        curve: "event among \(unrelated.rawValue)", parameter: "queries", size: Double(count)))
            }
        }
        // Few entities change, so that the lists stay small; the same entities change in the reference.
        let entityCount = 100
        let affecting = try QueryFixture.events(
            size, setCount: runs + 1, eventCount: eventCount, entityCount: entityCount)
        for isObserved in [false, true] {
            for count in [1, 10, 100] {
                let reference = try QueryFixture(size, .lists, queryCount: 10)
                let subject = try QueryFixture(size, .lists, queryCount: 10)
                try subject.putLists(count, of: entityCount, isObserved: isObserved)
                report.add(
                    try await compare(
                        "in \(count) \(isObserved ? "observed lists" : "lists")", affecting, eventCount, goal: nil,
                        referenceName: "in no list", reference, subject),
                    place: Figure.Place(
                        curve: isObserved ? "event in observed lists" : "event in lists", parameter: "lists",
                        size: Double(count)))
            }
        }
    }

    /// Events on elements of ten observed lists, for ``CountedWork``.
    static func counted(eventCount: Int) throws -> CountedRounds {
        let size = QueryFixture.Size.of(smoke: true)
        let fixture = try QueryFixture(size, .lists, queryCount: 10)
        let entityCount = 100
        try fixture.putLists(10, of: entityCount, isObserved: true)
        var sets = try QueryFixture.events(size, setCount: 4, eventCount: eventCount, entityCount: entityCount)[...]
        return CountedRounds {
            guard let events = sets.popFirst() else { throw BenchmarkError("there are events for four rounds") }
            return fixture.apply(events)
        }
    }

    private static func compare(
        _ name: String, _ sets: [[EventBatch]], _ eventCount: Int, goal: Double?, referenceName: String,
        _ reference: QueryFixture, _ subject: QueryFixture
    ) async throws -> Measurement {
        var (referenceRun, run) = (0, 0)
        return await Measurement.compare(
            name, count: eventCount, runs: sets.count - 1, goal: goal, referenceName: referenceName,
            reference: {
                defer { referenceRun += 1 }
                return reference.apply(sets[referenceRun])
            },
            subject: {
                defer { run += 1 }
                return subject.apply(sets[run])
            })
    }
}
