import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// The cost of GraphQL over a cache in memory: writing, reading and watching answers, and planning documents.
enum GraphQLSuite {
    private static let fieldCount = 10
    private static let list: ByteString = GraphQLSuite.document("all")
    private static let one: ByteString = "{ hero { __typename id f0 } }"

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let objectCount = isSmoke ? 50 : 1_000
        let cache = try await cache()
        try await write(cache, objectCount, runs, into: &report)
        try await read(cache, objectCount, runs, into: &report)
        try await TypedSuite.run(cache, objectCount, runs, into: &report)
        try await readOne(cache, count: isSmoke ? 200 : 20_000, into: &report)
        try await watch(cache, count: isSmoke ? 50 : 2_000, into: &report)
        try await plan(cache, isSmoke ? 20 : 1_000, runs, into: &report)
        try await cache.close()
    }

    /// Opens a cache in memory with a GraphQL engine.
    private static func cache() async throws -> SyncCache {
        let cache = try await SyncCache.open(
            configuration: CacheConfiguration(), journal: ForgetfulJournal(), clock: FixedClock(time: 1_700_000_000_000)
        )
        await cache.attach { GraphQLEngine(rules: GraphQLRules(), upstream: nil) }
        return cache
    }

    /// How many objects the response has that ``counted()`` writes and reads.
    static let countedObjectCount = 200

    /// Writes of responses and reads of their document, for ``CountedWork``.
    static func counted() async throws -> CountedRounds {
        let cache = try await cache()
        let answers = [answer(countedObjectCount, version: 0), answer(countedObjectCount, version: 1)]
        var turn = 0
        return CountedRounds(end: { try await cache.close() }) {
            turn += 1
            try await cache.writeDocument(GraphQLRequest(list), try ResponseParts(answers[turn % 2]))
            return UInt64(try await data(cache, list).count)
        }
    }

    /// Returns a document that selects a list with all fields.
    private static func document(_ root: String) -> ByteString {
        let fields = (0..<fieldCount).map { "f\($0)" }.joined(separator: " ")
        return ByteString("{ \(root) { __typename id \(fields) } }")
    }

    /// Returns an answer whose values differ from those of the other versions.
    private static func answer(_ objectCount: Int, version: Int) -> [UInt8] {
        var text = "{\"data\":{\"all\":["
        for index in 0..<objectCount {
            let fields = (0..<fieldCount).map { #""f\#($0)":"value \#(index) \#($0) \#(version)""# }
            text += (index > 0 ? "," : "")
            text += #"{"__typename":"Item","id":"\#(index)",\#(fields.joined(separator: ","))}"#
        }
        return Array((text + "]}}").utf8)
    }

    // MARK: Writing and reading

    private static func write(
        _ cache: SyncCache, _ objectCount: Int, _ runs: Int, into report: inout Report
    ) async throws {
        let answers = [answer(objectCount, version: 0), answer(objectCount, version: 1)]
        var turn = 0
        report.add(
            try await Measurement.compare(
                "write \(objectCount) objects", unit: "object", count: objectCount, runs: runs, goal: 4,
                referenceName: "validated parse",
                reference: { UInt64(try ResponseParts(answers[0]).data.count) },
                subject: {
                    turn += 1
                    let parts = try ResponseParts(answers[turn % 2])
                    try await cache.writeDocument(GraphQLRequest(list), parts)
                    return UInt64(parts.data.count)
                }))
    }

    private static func read(
        _ cache: SyncCache, _ objectCount: Int, _ runs: Int, into report: inout Report
    ) async throws {
        let bytes = try await data(cache, list)
        let clock = ContinuousClock()
        var perField: [Double] = []
        let measurement = try await Measurement.compare(
            "read \(objectCount) objects", unit: "object", count: objectCount, runs: runs, goal: nil,
            referenceName: "copy",
            reference: {
                var copy: [UInt8] = []
                copy.append(contentsOf: bytes)
                return UInt64(copy.count)
            },
            subject: {
                let start = clock.now
                let read = try await data(cache, list)
                perField.append((clock.now - start).inSeconds * 1e9 / Double(objectCount * fieldCount))
                return UInt64(read.count)
            })
        report.add(measurement)
        // The goal is twice the copy and 150 ns a field; the copy of this size is a few nanoseconds a field.
        report.add(
            name: "read a field", values: Array(perField.dropFirst()), unit: "ns", goal: 150, hash: UInt64(bytes.count))
    }

    private static func readOne(_ cache: SyncCache, count: Int, into report: inout Report) async throws {
        let written = try ResponseParts(Array(#"{"data":{"hero":{"__typename":"Item","id":"0","f0":"x"}}}"#.utf8))
        try await cache.writeDocument(GraphQLRequest(one), written)
        let clock = ContinuousClock()
        var hash: UInt64 = 0
        let start = clock.now
        for _ in 0..<count { hash &+= UInt64(try await data(cache, one).count) }
        let perRead = (clock.now - start).inSeconds * 1e6 / Double(count)
        report.add(name: "warm read of one object", value: perRead, unit: "µs", goal: 3, hash: hash)
    }

    /// Reads a document from the cache alone, and returns its data.
    static func data(_ cache: SyncCache, _ document: ByteString) async throws -> [UInt8] {
        var request = GraphQLReadRequest(GraphQLRequest(document))
        request.policy = .cacheOnly
        let box = ReplyBox()
        // A read of the cache alone is answered before the call returns.
        await cache.readDocument(request) { result in box.reply.withLock { $0 = result } }
        guard let reply = box.reply.withLock({ $0 }) else {
            preconditionFailure("a read of the cache alone was not answered")
        }
        return try reply.get().result.data
    }

    private final class ReplyBox: Sendable {
        let reply = Mutex<Result<GraphQLReply, CacheError>?>(nil)
    }

    // MARK: Watching

    /// Measures the time from the change of one field to the patch in the observer's mailbox.
    private static func watch(_ cache: SyncCache, count: Int, into report: inout Report) async throws {
        var request = GraphQLReadRequest(GraphQLRequest(list))
        request.policy = .cacheOnly
        let mailbox = ObserverMailbox()
        await cache.readDocument(request, observing: mailbox) { _ in }
        let clock = ContinuousClock()
        var durations: [Int64] = []
        var hash: UInt64 = 0
        for number in 0..<count {
            let start = clock.now
            try await cache.transact(
                [.patch(type: "Item", id: "7", fields: Array(#"{"f3":"\#(number)"}"#.utf8), unset: [])], library: "")
            guard case .item(.notification(.document(let patch))) = mailbox.take() else {
                preconditionFailure("a change of a watched field was not told")
            }
            durations.append(Int64((clock.now - start).inSeconds * 1e9))
            hash &+= UInt64(patch.params.count)
        }
        await cache.detach(mailbox)
        Latencies(durations).report("one field changed to its patch", hash: hash, into: &report)
    }

    // MARK: Planning

    /// Measures planning a document anew, and finding its plan again.
    private static func plan(
        _ cache: SyncCache, _ count: Int, _ runs: Int, into report: inout Report
    ) async throws {
        let selections = (0..<40).map { "a\($0): f\($0) { id b c d }" }.joined(separator: " ")
        let text = ByteString("query Q { \(selections) }")
        let rules = GraphQLRules()
        let clock = ContinuousClock()
        var fresh: [Double] = []
        var kept: [Double] = []
        var hash: UInt64 = 0
        for _ in 0..<runs {
            var start = clock.now
            for _ in 0..<count {
                let plan = try CheckedDocument(text.bytes, rules: rules).plan(operation: nil, variables: nil)
                hash &+= plan.hasDeferrals ? 1 : 0
            }
            fresh.append((clock.now - start).inSeconds * 1e6 / Double(count))
            start = clock.now
            for _ in 0..<count { hash &+= try await cache.isStream(GraphQLRequest(text)) ? 1 : 0 }
            kept.append((clock.now - start).inSeconds * 1e6 / Double(count))
        }
        report.add(name: "plan 200 selections", values: fresh, unit: "µs", goal: 100, hash: hash)
        report.add(name: "plan that is kept", values: kept, unit: "µs", goal: 1, hash: hash)
    }
}
