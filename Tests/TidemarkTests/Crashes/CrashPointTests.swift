import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A cache whose process stops at any change of its disk, and again while it recovers, against a model that shares no
/// code with it. The walk has events, batches, gaps, answers, transactions, layers and their settling. Laws: L2, L4,
/// L5.
///
/// A failure names its point; see ``TidemarkFaultDisk/CrashPoints``.
@Suite(.pooled, .tags(.crash)) struct CrashPointTests {
    private static let seed: UInt64 = 17
    private static let stepCount = 36

    /// The steps of a process until it stopped.
    fileprivate struct History {
        /// The states that may be on the disk: the model at the last acknowledgement, and after each step since.
        var durable: [ReferenceCache]
        var names: [ReferenceQueryName]
    }

    @Test(arguments: FaultDisk.Moment.allCases)
    func `wherever a process stops, everything acknowledged is there, and nothing partial`(
        moment: FaultDisk.Moment
    ) async throws {
        let whole = try TemporaryFolder()
        let quiet = try FaultDisk(folder: whole.path)
        _ = try await history(on: quiet, whole)
        #expect(quiet.changeCount > 200)
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 12), only: TestScale.point.number, seed: TestScale.randomSeed)
        for point in points.chosen(of: quiet.changeCount) {
            let folder = try TemporaryFolder()
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
            let history = try await history(on: disk, folder)
            #expect(disk.isStopped)
            let losses: [FaultDisk.Loss] = [
                .process, .power(seed: points.seed(at: point, 1)), .power(seed: points.seed(at: point, 2)),
            ]
            for loss in losses {
                let problems = try await recover(disk, loss, history, points.seed(at: point, 3))
                #expect(
                    problems == [],
                    "\(disk.place), stopped \(moment), \(loss); try again: \(points.description(of: point))")
                if !problems.isEmpty { return }
            }
        }
    }

    // MARK: Before the stop

    /// Runs until the disk stops, or to the end.
    private func history(on disk: FaultDisk, _ folder: TemporaryFolder) async throws -> History {
        let clock = Self.clock(now: 1_700_000_000_000)
        let empty = ReferenceCache(now: clock.now())
        var generator = LayerOperationGenerator(seed: Self.seed)
        guard let fixture = try await open(folder.path("cache.db"), clock, disk) else {
            return History(durable: [empty], names: generator.names)
        }
        var walk = OptimisticWalk(fixture, empty, names: generator.names)
        for step in 1...Self.stepCount where !disk.isStopped {
            let durable = walk.durable
            var operation = generator.next(walk.model)
            switch operation {
            // Nobody can answer after a crash, and a timer would write at an unknown moment.
            case .beginFetch, .answer, .wait: operation = .event(Self.batch(walk.model))
            default: break
            }
            do {
                let problems = try await walk.act(operation)
                walk.catchUp()
                if !disk.isStopped {
                    #expect(problems == [], "step \(step): \(operation)")
                    if step % 3 == 0 { try await walk.flush() }
                    if step == Self.stepCount / 2 {
                        try await walk.fixture.cache.close()
                        guard let next = try await open(folder.path("cache.db"), clock, disk) else { break }
                        #expect(try await walk.goOn(with: next) == [])
                    }
                }
            } catch {
                // Every failure was planned.
                guard disk.isStopped else { throw error }
            }
            // A step during which the process ended has no answer: its effect may be there or not.
            if disk.isStopped { walk.durable = durable + [walk.model] }
        }
        try await close(walk.fixture, disk)
        return History(durable: walk.durable, names: generator.names)
    }

    /// Returns several resources in one event.
    private static func batch(_ model: ReferenceCache) -> CacheEvent {
        let sequence = (model.libraries[Array("a".utf8)]?.cursor ?? 0) + 1
        return .change(
            library: "a", type: "file", resources: (0..<5).map { #"{"id":"k\#($0)","n":\#(sequence)}"# },
            sequence: sequence, merges: false, isIndex: false)
    }

    /// A clock under which pauses before another attempt cost nothing, and no flush begins by itself.
    private static func clock(now: Int64) -> ManualClock { ManualClock(now: now, skipsUpTo: 60_000) }

    /// - Returns: nil when the disk stopped meanwhile.
    private func open(_ path: String, _ clock: ManualClock, _ disk: FaultDisk) async throws -> QueryFixture? {
        do {
            return try await open(path, clock)
        } catch {
            guard disk.isStopped else { throw error }
            return nil
        }
    }

    private func open(_ path: String, _ clock: ManualClock) async throws -> QueryFixture {
        try await QueryFixture.open(try await SQLiteJournal.open(path: path), clock: clock) {
            $0.memoryByteCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.attemptCountMax = 1
            $0.fetchTimeout = .milliseconds(1 << 40)
        }
    }

    private func close(_ fixture: QueryFixture, _ disk: FaultDisk) async throws {
        do {
            try await fixture.cache.close()
        } catch {
            guard disk.isStopped else { throw error }
        }
    }

    // MARK: After it

    /// Opens the files that a crash left, compares them, and crashes again on the way.
    private func recover(
        _ disk: FaultDisk, _ loss: FaultDisk.Loss, _ history: History, _ seed: UInt64
    ) async throws -> [String] {
        let first = try TemporaryFolder()
        try disk.writeImage(loss, to: first.path)
        // The changes are counted first, on a copy, so that the second crash can be at any change that recovery makes.
        let counted = try TemporaryFolder()
        try disk.writeImage(loss, to: counted.path)
        let quiet = try FaultDisk(folder: counted.path)
        var problems = try await compare(counted, history)
        let changeCount = quiet.changeCount
        guard problems.isEmpty, changeCount > 0 else { return problems }
        var random = SeededGenerator(seed: seed)
        let again = try FaultDisk(folder: first.path)
        let point = 1 + random.below(changeCount)
        again.plan(.stop(random.pick(FaultDisk.Moment.allCases)), at: point, count: .max, seed: seed)
        if let fixture = try await open(first.path("cache.db"), Self.clock(now: history.now), again) {
            try await close(fixture, again)
        }
        for loss: FaultDisk.Loss in [.process, .power(seed: seed)] {
            let copy = try TemporaryFolder()
            try again.writeImage(loss, to: copy.path)
            let sparesSyncs = try FaultDisk(folder: copy.path)
            defer { withExtendedLifetime(sparesSyncs) {} }
            problems += try await compare(copy, history).map {
                "after a second crash at \(again.place), \(loss): \($0)"
            }
        }
        return problems
    }

    /// Checks that the content of a folder equals the model at one step, and is sound.
    private func compare(_ folder: TemporaryFolder, _ history: History) async throws -> [String] {
        let path = folder.path("cache.db")
        let journal = try await SQLiteJournal.open(path: path)
        if case .rebuilt(_, let reason) = await journal.openingReport { return ["it was made anew: \(reason)"] }
        let fixture = try await QueryFixture.open(journal, clock: Self.clock(now: history.now)) {
            $0.flush.interval = .milliseconds(1 << 40)
            $0.fetchTimeout = .milliseconds(1 << 40)
        }
        var walk = OptimisticWalk(fixture, history.durable[0], names: history.names)
        walk.durable = history.durable
        var problems = try await walk.goOn(with: fixture)
        await fixture.cache.checkInvariants()
        try await fixture.cache.close()
        problems += try SQLiteReader(path: path).verify().problems.map { "verify: \($0)" }
        return problems
    }
}

extension CrashPointTests.History {
    fileprivate var now: Int64 { durable.last?.now ?? 0 }
}
