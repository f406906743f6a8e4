import TidemarkModel
import TidemarkStore

/// A state with queries, and events that affect none or some of the queries.
final class QueryFixture {
    /// The kinds of queries that no event affects.
    enum Unrelated: String, CaseIterable {
        /// Lists without a rule, over other entities of the same type.
        case lists = "other lists"
        /// Rules for another value of the same field.
        case values = "other values"
        /// Rules for another folder.
        case folders = "other folders"
    }

    /// The numbers of entities in a state.
    struct Size {
        /// The number of entities that events change. They have the lowest indexes, and are in no list of the unrelated
        /// queries.
        var changingCount: Int
        /// The number of entities in unrelated lists. Their indexes follow those of the changing entities.
        var listedCount: Int

        /// Returns the size for a smoke run or a full run.
        static func of(smoke isSmoke: Bool) -> Size {
            isSmoke
                ? Size(changingCount: 1_000, listedCount: 2_000) : Size(changingCount: 10_000, listedCount: 20_000)
        }
    }

    private static let elementCount = 10

    let size: Size
    var state: CacheState
    private let decoder: SampleDecoder
    private var queryCount = 0

    /// Creates a state with all entities, and with queries that no event affects.
    ///
    /// - Parameter queryCount: The number of unrelated queries.
    init(_ size: Size, _ unrelated: Unrelated, queryCount: Int, policy: CachePolicy = CachePolicy()) throws {
        self.size = size
        var configuration = CacheStateConfiguration()
        configuration.policy = policy
        configuration.limits.queryCountMax = 1_000_000
        state = CacheState(configuration: configuration, recovered: RecoveredState(), seed: 1)
        decoder = try SampleDecoder()
        var lines: [UInt8] = []
        for index in 0..<size.changingCount + size.listedCount {
            Sample.appendChange(of: index, version: 0, sequence: index + 1, to: &lines)
        }
        for batch in try decoder.batches(of: lines) { state.apply(batch, at: 1) }
        for number in 0..<queryCount {
            switch unrelated {
            case .lists:
                let first = number * QueryFixture.elementCount
                try put(
                    (0..<QueryFixture.elementCount).map {
                        size.changingCount + (first + $0 * 31) % size.listedCount
                    })
            case .values:
                try put([], rule: "\"where\":{\"path\":\"/album\",\"eq\":\"other-\(number)\"}")
            case .folders:
                try put([], rule: "\"scope\":{\"path\":\"/other/\(number)\",\"recursive\":\(number % 2 == 0)}")
            }
        }
        _ = state.takeFlush()
        state.flushCommitted()
    }

    /// Adds lists that all contain the first `count` entities that change.
    func putLists(_ listCount: Int, of count: Int, isObserved: Bool) throws {
        for _ in 0..<listCount {
            let query = try put(Array(0..<count))
            if isObserved { state.observe(query, at: 1) }
        }
        state.clearLog()
    }

    /// Stores the answer to a new query with these elements.
    @discardableResult
    private func put(_ indexes: [Int], rule: String? = nil) throws -> QueryID {
        defer { queryCount += 1 }
        let text = rule.map { Array("{\"resource_type\":\"file\",\($0)}".utf8) }
        let head = QueryResultHead(
            key: QueryKey(library: "", method: "sample.list", canonicalInput: ByteString("{\"n\":\(queryCount)}")),
            timeToLive: nil, asOf: nil, membership: try text.map { try Membership(json: $0) },
            membershipText: text ?? [], tags: [], isLocal: false, start: nil)
        guard let batch = try decoder.batches(of: Sample.answer(indexes)).first else {
            preconditionFailure("an answer has no line")
        }
        return try state.store(batch, head, at: 1)
    }

    /// Returns sets of events on entities that change; each set continues the log of the set before it.
    ///
    /// - Parameter entityCount: The number of entities that change, beginning with the first; nil means all.
    static func events(
        _ size: Size, setCount: Int, eventCount: Int, entityCount: Int? = nil
    ) throws -> [[EventBatch]] {
        let decoder = try SampleDecoder()
        let entityCount = entityCount ?? size.changingCount
        var sequence = size.changingCount + size.listedCount
        return try (0..<setCount).map { _ in
            var lines: [UInt8] = []
            lines.reserveCapacity(eventCount * 512)
            for event in 0..<eventCount {
                sequence += 1
                Sample.appendChange(
                    of: (event &* 7_919) % entityCount, version: sequence, sequence: sequence, to: &lines)
            }
            return try decoder.batches(of: lines)
        }
    }

    /// Applies a set of events as the engine does: the change log is cleared after each batch.
    ///
    /// - Returns: A hash of the number of notifications for observers, and of the number of applied events.
    func apply(_ batches: [EventBatch]) -> UInt64 {
        let before = state.counts.applied
        var told = 0
        for batch in batches {
            state.apply(batch, at: 1)
            told += state.changeLog.count
            state.clearLog()
        }
        return UInt64(state.counts.applied - before) &* 1_000_003 &+ UInt64(told)
    }
}
