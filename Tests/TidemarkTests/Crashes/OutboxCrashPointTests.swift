import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A cache that sends edits, whose process stops at any change of its disk, by SIGKILL and by a loss of power, with a
/// server that loses requests and answers. Laws: L2, L5.
@Suite(.pooled(minutes: 60), .tags(.crash)) struct OutboxCrashPointTests {
    private static let editCount = 24
    private static let entityCount = 3

    @Test(arguments: FaultDisk.Moment.allCases)
    func `wherever a process stops, each edit is performed once, in order, and the cache equals the server`(
        moment: FaultDisk.Moment
    ) async throws {
        let whole = try TemporaryFolder()
        let quiet = try FaultDisk(folder: whole.path)
        let reference = FlakyMutations(seed: 1)
        let all = try await live(whole.path("cache.db"), reference, quiet)
        #expect(all.count == Self.editCount)
        #expect(quiet.changeCount > 50)
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 12), only: TestScale.point.number, seed: TestScale.randomSeed)
        var stopCount = 0
        for point in points.chosen(of: quiet.changeCount) {
            let folder = try TemporaryFolder()
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
            let server = FlakyMutations(seed: points.seed(at: point, 1))
            let answered = try await live(folder.path("cache.db"), server, disk)
            // The order of flushes differs from run to run, and so the number of changes.
            guard disk.isStopped else { continue }
            stopCount += 1
            for loss in [FaultDisk.Loss.process, .power(seed: points.seed(at: point, 2))] {
                let next = try TemporaryFolder()
                try disk.writeImage(loss, to: next.path)
                let problems = try await recover(next.path("cache.db"), server.copy(), answered)
                #expect(
                    problems == [],
                    "\(disk.place), stopped \(moment), \(loss); try again: \(points.description(of: point))")
                if !problems.isEmpty { return }
            }
        }
        // Otherwise nothing was tried.
        #expect(stopCount > 0)
    }

    private func open(_ path: String, _ server: FlakyMutations) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.flush.attemptCountMax = 1
        // The pauses of the outbox cost nothing, and no attempt ends by its time.
        configuration.fetchTimeout = .milliseconds(1 << 40)
        return try await SyncCache.open(
            path: path, configuration: configuration, mutationUpstream: server, clock: ManualClock(skipsUpTo: 400_000))
    }

    /// Makes edits until the disk stops, or all are performed.
    ///
    /// - Returns: The numbers of the edits that were on the disk.
    private func live(_ path: String, _ server: FlakyMutations, _ disk: FaultDisk) async throws -> Set<Int> {
        var answered: Set<Int> = []
        do {
            let cache = try await open(path, server)
            do {
                for number in 0..<Self.editCount {
                    let entity = number % Self.entityCount
                    var request = MutationRequest(
                        method: "put",
                        input: [.init(integerLiteral: Int64(entity)), .init(integerLiteral: Int64(number))])
                    request.key = ByteString("k\(entity)")
                    try await cache.optimistically(pendingID: "p\(number)", sending: request) { changes in
                        try changes.put(
                            type: "file", ["id": .string("f\(entity)"), "n": .init(integerLiteral: Int64(number))])
                    }
                    answered.insert(number)
                }
                while await !cache.outboxStatuses().isEmpty, !disk.isStopped {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            } catch {
                guard disk.isStopped else { throw error }
            }
            try await cache.close()
        } catch {
            // Every failure was planned.
            guard disk.isStopped else { throw error }
        }
        return answered
    }

    private func recover(_ path: String, _ server: FlakyMutations, _ answered: Set<Int>) async throws -> [String] {
        let cache = try await open(path, server)
        while await !cache.outboxStatuses().isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        let state = server.state
        var problems = state.problems
        let lost = answered.subtracting(state.log)
        if !lost.isEmpty { problems.append("\(lost.sorted()) were on the disk and never performed") }
        if await !cache.pendingLayers().isEmpty { problems.append("edits are left") }
        for (entity, number) in state.values.sorted(by: { $0.key < $1.key }) {
            let key = EntityKey(library: "", type: "file", id: ByteString("f\(entity)"))
            let found = try await cache.read(key, fields: nil).entity.map { String(decoding: $0, as: UTF8.self) }
            if found != #"{"id":"f\#(entity)","n":\#(number)}"# {
                problems.append("f\(entity) is \(found ?? "absent"), not \(number)")
            }
        }
        try await cache.close()
        return problems
    }
}

/// A server that loses a third of the requests or answers, and performs each mutation once, by its pending id.
private final class FlakyMutations: MutationUpstream {
    struct State {
        var random: SeededGenerator
        var log: [Int] = []
        var values: [Int: Int] = [:]
        var results: [ByteString: OptimisticCommit] = [:]
        var problems: [String] = []
    }

    private let mutex: Mutex<State>

    init(seed: UInt64) { mutex = Mutex(State(random: SeededGenerator(seed: seed))) }

    private init(_ state: State) { mutex = Mutex(state) }

    var state: State { mutex.withLock { $0 } }

    /// Returns a server that goes on from the same state.
    func copy() -> FlakyMutations { FlakyMutations(state) }

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        let answer: OptimisticCommit? = mutex.withLock { state in
            let fate = state.random.below(6)
            guard fate > 0 else { return nil }
            let result = FlakyMutations.perform(mutation, &state)
            return fate == 1 ? nil : result
        }
        guard let answer else { throw UpstreamError("the connection is lost") }
        return answer
    }

    private static func perform(_ mutation: SentMutation, _ state: inout State) -> OptimisticCommit {
        if let result = state.results[mutation.pendingID] { return result }
        let numbers = String(decoding: mutation.input.dropFirst().dropLast(), as: UTF8.self).split(separator: ",")
            .compactMap { Int($0) }
        let (entity, number) = (numbers[0], numbers[1])
        if let last = state.values[entity], last > number { state.problems.append("\(number) came after \(last)") }
        state.log.append(number)
        state.values[entity] = number
        let result = OptimisticCommit(
            pendingID: mutation.pendingID, confirmed: [Array(#"{"id":"f\#(entity)","n":\#(number)}"#.utf8)],
            resourceType: "file", sequence: EventSequence(Int64(state.log.count)))
        state.results[mutation.pendingID] = result
        return result
    }
}
