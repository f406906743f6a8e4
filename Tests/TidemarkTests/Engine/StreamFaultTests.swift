import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Ingest, gaps, a log that fills them, a dictionary and eviction on a disk that stops or fails. Laws: L1, L4, L5.
@Suite(.pooled(minutes: 600), .tags(.crash)) struct StreamFaultTests {
    @Test func `wherever an ingest stops, its database has the state of the model at its cursor`() async throws {
        let stream = try await StreamOnDisk()
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 16), only: TestScale.point.number, seed: TestScale.randomSeed)
        let changeCount = try await changes(of: stream)
        #expect(changeCount > 150)
        for point in points.chosen(of: changeCount) {
            for moment in FaultDisk.Moment.allCases {
                let folder = try TemporaryFolder()
                let disk = try FaultDisk(folder: folder.path)
                disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
                var acknowledged = 0
                do {
                    try await stream.run(folder, &acknowledged)
                } catch {
                    guard disk.isStopped else { throw error }
                }
                // The order of evictions differs from run to run, and so the number of changes differs by a few.
                guard disk.isStopped else {
                    #expect(acknowledged == stream.partCount + 1)
                    continue
                }
                for loss: FaultDisk.Loss in [.process, .power(seed: points.seed(at: point, 1))] {
                    let copy = try TemporaryFolder()
                    try disk.writeImage(loss, to: copy.path)
                    let sparesSyncs = try FaultDisk(folder: copy.path)
                    defer { withExtendedLifetime(sparesSyncs) {} }
                    let problems = try await stream.problems(in: copy, acknowledged: acknowledged)
                    #expect(
                        problems == [],
                        "\(disk.place), \(moment), \(loss); try again: \(points.description(of: point))")
                    if !problems.isEmpty { return }
                }
            }
        }
    }

    private func changes(of stream: StreamOnDisk) async throws -> Int {
        let folder = try TemporaryFolder()
        let quiet = try FaultDisk(folder: folder.path)
        var acknowledged = 0
        try await stream.run(folder, &acknowledged)
        #expect(acknowledged == stream.partCount + 1)
        #expect(try await stream.problems(in: folder, acknowledged: acknowledged) == [])
        return quiet.changeCount
    }

    @Test(arguments: [FaultDisk.Fault.changeFails, .full])
    func `while a disk fails reads are served and nothing is acknowledged, then writing resumes`(
        fault: FaultDisk.Fault
    ) async throws {
        let stream = try await StreamOnDisk()
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 25), only: TestScale.point.number, seed: TestScale.randomSeed)
        var tried = 0
        let changeCount = try await changes(of: stream)
        for point in points.chosen(of: changeCount) {
            let folder = try TemporaryFolder()
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(fault, at: point, count: .max, seed: points.seed(at: point))
            let comment = "\(fault) at \(point); try again: \(points.description(of: point))"
            tried += try await ingest(stream, folder, disk, comment)
            try #expect(await stream.problems(in: folder, acknowledged: stream.partCount) == [], "\(comment)")
        }
        // Otherwise nothing was tried; a single point may be one that only opening reaches.
        #expect(tried > 5 || points.chosen(of: changeCount).count < 10)
    }

    /// Ingests the stream on a disk that fails.
    ///
    /// - Returns: The number of failures of the disk while the cache was used.
    private func ingest(
        _ stream: StreamOnDisk, _ folder: TemporaryFolder, _ disk: FaultDisk, _ comment: String
    ) async throws -> Int {
        let cache = try await stream.open(try await opened(folder, disk))
        let input = try await HandInput(into: cache)
        var failureCount = 0
        for part in 0..<stream.partCount {
            try await stream.feed(part: part, input)
            let durable = await cache.progress(of: input.input).durableLineCount
            do {
                try await cache.flush()
            } catch {
                failureCount += 1
                #expect([.inputOutput, .diskFull].contains(error.code), "\(comment): \(error)")
                #expect(await cache.storageError != nil, "\(comment)")
                #expect(await cache.progress(of: input.input).durableLineCount == durable, "\(comment)")
                for (key, entity) in stream.wanted[stream.cursors[part]] ?? [:] {
                    guard case .found(let found) = try await cache.entity(key), found.bytes == entity.payload else {
                        Issue.record("\(comment): \(key) is not served")
                        break
                    }
                }
                disk.heal()
                #expect(await resumes(cache), "\(comment)")
                #expect(await cache.progress(of: input.input).durableLineCount > durable, "\(comment)")
                try await cache.flush()
            }
        }
        do {
            try await cache.close()
        } catch {
            // Everything was committed; only the write-ahead log was not copied back.
            failureCount += 1
        }
        disk.heal()
        return failureCount
    }

    /// Waits until writing resumes by itself.
    private func resumes(_ cache: SyncCache) async -> Bool { await eventually { await cache.storageError == nil } }

    /// Opens a journal. A file that cannot be made or opened is an error, and the next attempt begins afresh.
    private func opened(_ folder: TemporaryFolder, _ disk: FaultDisk) async throws -> SQLiteJournal {
        do {
            return try await StreamOnDisk.journal(folder)
        } catch let error as StorageError {
            #expect([.inputOutput, .diskFull, .cannotCreate].contains(error.code), "\(error)")
            disk.heal()
            return try await StreamOnDisk.journal(folder)
        }
    }

    @Test(arguments: [FaultDisk.Fault.readFails, .readIsShort])
    func `a read that fails is an error or damage, and never a wrong byte`(fault: FaultDisk.Fault) async throws {
        let stream = try await StreamOnDisk()
        let folder = try TemporaryFolder()
        var acknowledged = 0
        let quiet = try FaultDisk(folder: folder.path)
        do {
            let cache = try await stream.open(try await StreamOnDisk.journal(folder))
            let input = try await HandInput(into: cache)
            for part in 0..<stream.partCount { try await stream.feed(part: part, input) }
            try await cache.close()
            acknowledged = stream.partCount
        }
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 30), only: TestScale.point.number, seed: TestScale.randomSeed)
        let wanted = stream.wanted[stream.cursors[stream.partCount - 1]] ?? [:]
        // The count covers the reads of opening the file and of looking up everything.
        let before = quiet.readCount
        try await lookForAll(wanted, folder, "nothing planned")
        let readCount = quiet.readCount - before
        #expect(readCount > 20)
        for point in points.chosen(of: readCount) {
            let copy = try TemporaryFolder()
            try quiet.writeImage(.process, to: copy.path)
            let disk = try FaultDisk(folder: copy.path)
            disk.plan(fault, at: point, seed: points.seed(at: point))
            let comment = "\(fault) at \(point); try again: \(points.description(of: point))"
            try await lookForAll(wanted, copy, comment)
            #expect(disk.failureCount > 0, "\(comment)")
            disk.heal()
            if fault == .readFails {
                try #expect(await stream.problems(in: copy, acknowledged: acknowledged) == [], "\(comment)")
            }
        }
    }

    /// Reads every entity through a cache that keeps nothing in memory.
    private func lookForAll(
        _ wanted: [EntityKey: StreamOnDisk.Stored], _ folder: TemporaryFolder, _ comment: String
    ) async throws {
        do {
            let journal = try await StreamOnDisk.journal(folder)
            let cache = try await SyncCache.open(journal: journal, clock: ManualClock())
            for (key, entity) in wanted.sorted(by: { $0.key < $1.key }) {
                do {
                    guard case .found(let found) = try await cache.entity(key) else { continue }
                    #expect(found.bytes == entity.payload, "\(comment): \(key)")
                } catch {
                    #expect([.inputOutput, .damaged].contains(error.code), "\(comment): \(error)")
                }
            }
            try await cache.close()
        } catch let error as StorageError {
            #expect([.inputOutput, .damaged, .diskFull, .cannotCreate].contains(error.code), "\(comment): \(error)")
        }
    }
}
