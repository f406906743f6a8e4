import TidemarkModel
import TidemarkStore

/// The cost of layers: creating a layer and rolling it back while lists contain its entity, and keeping layers while
/// events change other entities.
enum LayersSuite {
    private static let entityCount = 1_000

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let size = QueryFixture.Size.of(smoke: isSmoke)
        let eventCount = isSmoke ? 2_000 : 20_000
        try inLists(size, listCount: 10, count: isSmoke ? 100 : 2_000, into: &report)
        let events = try QueryFixture.events(size, setCount: runs + 1, eventCount: eventCount)
        report.add(
            try await compare(size, "event, no layers", events, eventCount, goal: nil, layers: 0))
        for layers in isSmoke ? [1_000] : [100, 1_000, 10_000] {
            report.add(
                try await compare(
                    size, "event, \(layers) layers on others", events, eventCount, goal: 1.10, layers: layers),
                place: Figure.Place(curve: "event", parameter: "layers", size: Double(layers)))
        }
    }

    /// Edits of elements of ten observed lists and their rollbacks, for ``CountedWork``.
    static func counted(editCount: Int) throws -> CountedRounds {
        let fixture = try QueryFixture(QueryFixture.Size.of(smoke: true), .lists, queryCount: 10)
        try fixture.putLists(10, of: entityCount, isObserved: true)
        return CountedRounds {
            var told = 0
            for number in 0..<editCount {
                told += try fixture.layAndRollBack(fixture.update("m", of: number &* 7_919 % entityCount))
            }
            _ = fixture.state.takeFlush()
            fixture.state.flushCommitted()
            return UInt64(told)
        }
    }

    /// Measures an edit of an element of observed lists and its rollback, in memory.
    private static func inLists(_ size: QueryFixture.Size, listCount: Int, count: Int, into report: inout Report) throws
    {
        let fixture = try QueryFixture(size, .lists, queryCount: 10)
        try fixture.putLists(listCount, of: entityCount, isObserved: true)
        var latencies: [Double] = []
        var told = 0
        let clock = ContinuousClock()
        for number in 0..<count {
            let update = try fixture.update("m", of: number &* 7_919 % entityCount)
            let start = clock.now
            told += try fixture.layAndRollBack(update)
            latencies.append((clock.now - start).inSeconds * 1e6)
            // The flush is taken each time, so that written changes do not accumulate.
            _ = fixture.state.takeFlush()
            fixture.state.flushCommitted()
        }
        precondition(told == 2 * listCount * count, "\(told) changes were told of")
        report.add(
            name: "update + rollback in \(listCount) lists", values: latencies, unit: "µs", goal: 50,
            hash: UInt64(told))
    }

    /// Measures events on entities without layers; the reference is a cache that never had a layer.
    private static func compare(
        _ size: QueryFixture.Size, _ name: String, _ sets: [[EventBatch]], _ eventCount: Int, goal: Double?, layers: Int
    ) async throws -> Measurement {
        let reference = try QueryFixture(size, .lists, queryCount: 10)
        let subject = try QueryFixture(size, .lists, queryCount: 10)
        for number in 0..<layers {
            try subject.state.lay(subject.update("m\(number)", of: size.changingCount + number), at: 1)
        }
        subject.state.clearLog()
        _ = subject.state.takeFlush()
        subject.state.flushCommitted()
        var (referenceRun, run) = (0, 0)
        return await Measurement.compare(
            name, count: eventCount, runs: sets.count - 1, goal: goal, referenceName: "never a layer",
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

extension QueryFixture {
    /// Adds a layer and rolls it back.
    ///
    /// - Returns: How many changes observers were told of.
    func layAndRollBack(_ update: LayerUpdate) throws -> Int {
        try state.lay(update, at: 1)
        var told = state.changeLog.count
        state.clearLog()
        try state.rollBack(update.pendingID, library: nil, at: 1)
        told += state.changeLog.count
        state.clearLog()
        return told
    }

    /// Returns an update that patches one field of an entity.
    func update(_ pendingID: String, of index: Int) throws -> LayerUpdate {
        LayerUpdate(
            pendingID: ByteString(pendingID), library: "",
            steps: [
                .patch(
                    type: ByteString(Sample.type), id: Sample.key(of: index).id,
                    fields: Array(#"{"favorite":"edited"}"#.utf8), unset: [])
            ], dependsOn: [])
    }
}
