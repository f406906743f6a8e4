import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A process of its own that its disk ends, at any change of an ingest and again while it recovers: the test checks
/// what another process then finds on the real disk. In ``StreamFaultTests`` later calls fail in the same process; here
/// memory, locks and shared memory are gone as well. Law: L5.
@Suite(.pooled, .tags(.crash)) struct ProcessCrashPointTests {
    /// The exit status of a process that ended before it reached the change.
    private static let endedStatus: Int32 = 98

    @Test func `after its disk ends a process, the next two find the state of the model`()
        async throws
    {
        let stream = try await StreamOnDisk()
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 5), only: TestScale.point.number, seed: TestScale.randomSeed)
        let changeCount = try await {
            let folder = try TemporaryFolder()
            let quiet = try FaultDisk(folder: folder.path)
            var acknowledged = 0
            try await stream.run(folder, &acknowledged)
            return quiet.changeCount
        }()
        var random = SeededGenerator(seed: points.seed)
        for point in points.chosen(of: changeCount) {
            let moments = points.isWhole ? FaultDisk.Moment.allCases : [random.pick(FaultDisk.Moment.allCases)]
            for moment in moments {
                let (folder, beside) = (try TemporaryFolder(), try TemporaryFolder())
                let place = "\(moment) change \(point); try again: \(points.description(of: point))"
                let seed = points.seed(at: point)
                let ended = await Self.ingest(
                    folder.path, moment, at: point, seed: seed, acknowledging: beside.path("acknowledged"))
                // The order of evictions differs from run to run, and so the number of changes differs by a few.
                #expect(
                    ended == FaultDisk.exitStatus || ended == Self.endedStatus && point > changeCount - 20, "\(place)")
                let acknowledged =
                    FileManager.default.fileExists(atPath: beside.path("acknowledged"))
                    ? try beside.read("acknowledged").count : 0
                let recovery = 1 + random.below(12)
                let again = await Self.recover(
                    folder.path, random.pick(FaultDisk.Moment.allCases), at: recovery, seed: seed)
                #expect(again == FaultDisk.exitStatus || again == Self.endedStatus, "\(place)")
                let problems = try await stream.problems(in: folder, acknowledged: acknowledged)
                #expect(problems == [], "\(place), then change \(recovery)")
                if !problems.isEmpty { return }
            }
        }
    }

    /// Ingests the stream in a process of its own, which writes a byte for each acknowledged part.
    private static func ingest(
        _ folder: String, _ moment: FaultDisk.Moment, at point: Int, seed: UInt64, acknowledging path: String
    ) async -> Int32? {
        let index = FaultDisk.Moment.allCases.firstIndex(of: moment) ?? 0
        let result = await #expect(processExitsWith: .failure) {
            [
                folder = folder as String, path = path as String, index = index as Int, point = point as Int,
                seed = seed as UInt64
            ] in
            let disk = try FaultDisk(folder: folder)
            disk.plan(.exit(FaultDisk.Moment.allCases[index]), at: point, count: .max, seed: seed)
            try await StreamOnDisk().run(path: folder + "/cache.db") {
                let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
                precondition(write(file, "+", 1) == 1, "no word of what was acknowledged")
                close(file)
            }
            exit(98)
        }
        return status(result)
    }

    /// Opens and closes the database in a process of its own.
    private static func recover(
        _ folder: String, _ moment: FaultDisk.Moment, at point: Int, seed: UInt64
    ) async -> Int32? {
        let index = FaultDisk.Moment.allCases.firstIndex(of: moment) ?? 0
        let result = await #expect(processExitsWith: .failure) {
            [folder = folder as String, index = index as Int, point = point as Int, seed = seed as UInt64] in
            let disk = try FaultDisk(folder: folder)
            disk.plan(.exit(FaultDisk.Moment.allCases[index]), at: point, count: .max, seed: seed)
            try await StreamOnDisk.journal(path: folder + "/cache.db").close()
            exit(98)
        }
        return status(result)
    }

    private static func status(_ result: ExitTest.Result?) -> Int32? {
        guard case .exitCode(let status)? = result?.exitStatus else { return nil }
        return status
    }
}
