import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Encrypted files whose process stops at any change of the disk. Law: L5.
@Suite(.pooled, .tags(.crash)) struct SealedCrashTests {
    private static let texts = ["marker-text", "marker-id", "marker-library", "SQLite format"]

    private static func flush(_ cache: inout SmallCache, _ number: Int) -> FlushBatch {
        for place in 0..<3 {
            cache.put(
                EntityKey(library: "marker-library", type: "file", id: ByteString("marker-id-\(number)-\(place)")),
                #"{"id":"marker-id-\#(number)-\#(place)","text":"marker-text-\#(number)"}"#)
        }
        return cache.take()
    }

    @Test(arguments: EntityLayout.allCases)
    func `an acknowledged commit of an encrypted file is there after a crash, and no file has plain text`(
        layout: EntityLayout
    ) async throws {
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 12), only: TestScale.point.number, seed: TestScale.randomSeed)
        func run(_ path: String, _ acknowledged: inout Int) async throws {
            let journal = try await SealedFixture.open(path, layout)
            var cache = SmallCache()
            for number in 0..<4 {
                try await journal.commit(Self.flush(&cache, number))
                acknowledged += 1
            }
            try await journal.close()
        }
        func check(_ folder: TemporaryFolder, _ acknowledged: Int, _ place: String) async throws {
            #expect(try SealedFixture.leaks(of: Self.texts, in: folder.path) == [:], "\(place)")
            let journal = try await SealedFixture.open(folder.file(), layout)
            #expect(await journal.openingReport == .reopened || acknowledged == 0, "\(place)")
            try await journal.close()
            let found = try SealedFixture.payloads(folder.file())
            #expect(found.count % 3 == 0 && found.count >= 3 * acknowledged, "\(place): \(found.count)")
            let report = try SQLiteReader(path: folder.file(), encryption: try SealedFixture.key()).verify()
            #expect(report.problems == [], "\(place)")
            #expect(try SealedFixture.leaks(of: Self.texts, in: folder.path) == [:], "\(place)")
        }
        let folder = try TemporaryFolder()
        let quiet = try FaultDisk(folder: folder.path)
        var count = 0
        try await run(folder.file(), &count)
        try await check(folder, 4, "at the end")
        let changeCount = quiet.changeCount
        #expect(changeCount > 20)
        for point in points.chosen(of: changeCount) {
            for moment in FaultDisk.Moment.allCases {
                let folder = try TemporaryFolder()
                let disk = try FaultDisk(folder: folder.path)
                disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
                var acknowledged = 0
                do { try await run(folder.file(), &acknowledged) } catch { #expect(disk.isStopped, "\(error)") }
                for loss: FaultDisk.Loss in [.process, .power(seed: points.seed(at: point, 1))] {
                    let copy = try TemporaryFolder()
                    try disk.writeImage(loss, to: copy.path)
                    let quiet = try FaultDisk(folder: copy.path)
                    defer { withExtendedLifetime(quiet) {} }
                    try await check(copy, acknowledged, "\(disk.place), \(moment), \(loss)")
                }
            }
        }
    }
}
