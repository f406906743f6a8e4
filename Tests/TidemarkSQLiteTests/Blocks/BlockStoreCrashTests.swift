import TestTraits
import Testing
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A store of blocks whose process stops at any change of the disk: in flushes, merges, segments and key runs. Law: L5.
@Suite(.pooled, .tags(.crash)) struct BlockStoreCrashTests {
    private let keyCount = 150
    private let flushCount = 14

    /// Draws the flush of a number; two of them clear a library.
    private func draw(_ number: Int, _ model: inout BlockStoreModel) -> FlushBatch {
        model.flush(rowCount: 70, removalShare: 150, clears: number == 5 || number == 9)
    }

    /// Feeds flushes until the disk stops.
    ///
    /// - Returns: The number of acknowledged flushes, and the number of blocks that were merged.
    private func run(_ path: String, acknowledged: inout Int) throws {
        var model = BlockStoreModel(seed: 5, keyCount: keyCount)
        let file = try BlockStoreFile(path)
        for number in 0..<flushCount {
            try file.write(draw(number, &model))
            acknowledged += 1
        }
        // The log is copied back.
        try file.file.checkpoint()
    }

    /// Compares a file with the states that it may have: that of the acknowledged flushes, or one flush more.
    private func check(_ path: String, acknowledged: Int) throws -> String? {
        let file = try BlockStoreFile(path)
        file.store.checkInvariants()
        guard file.store.damage == BlockStore.Damage(), !file.store.isRebuilt else {
            return "damage: \(file.store.damage)"
        }
        var model = BlockStoreModel(seed: 5, keyCount: keyCount)
        for number in 0..<acknowledged { _ = draw(number, &model) }
        if try model.differences(from: file) != [] {
            guard acknowledged < flushCount else { return "an acknowledged flush is missing" }
            _ = draw(acknowledged, &model)
            let differences = try model.differences(from: file)
            if differences != [] { return "\(differences.count) keys differ after \(acknowledged) flushes" }
        }
        guard try file.walkedKeys() == model.keysInOrder else { return "other keys are walked over" }
        // It goes on from there.
        try file.write(draw(flushCount, &model))
        file.store.checkInvariants()
        return try model.differences(from: file) == [] ? nil : "another flush is not taken"
    }

    @Test func `a stop anywhere leaves the acknowledged flushes, or one more`() throws {
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 12), only: TestScale.point.number, seed: TestScale.randomSeed)
        var count = 0
        do {
            let folder = try TemporaryFolder()
            let quiet = try FaultDisk(folder: folder.path)
            var acknowledged = 0
            try run(folder.file(), acknowledged: &acknowledged)
            count = quiet.changeCount
            #expect(acknowledged == flushCount)
            // The workload merges.
            let file = try BlockStoreFile(folder.file())
            let blockCount = try file.blockCount()
            #expect(blockCount < file.store.lastNumber * 2 / 3, "\(blockCount) of \(file.store.lastNumber)")
        }
        #expect(count > 100)
        for point in points.chosen(of: count) {
            for moment in FaultDisk.Moment.allCases {
                let folder = try TemporaryFolder()
                let disk = try FaultDisk(folder: folder.path)
                disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
                var acknowledged = 0
                do {
                    try run(folder.file(), acknowledged: &acknowledged)
                    Issue.record("\(disk.place) of \(count) was never noticed")
                } catch {
                    #expect(disk.isStopped, "\(error)")
                }
                for loss: FaultDisk.Loss in [.process, .power(seed: points.seed(at: point, 1))] {
                    let copy = try TemporaryFolder()
                    try disk.writeImage(loss, to: copy.path)
                    // A fault disk avoids real syncs.
                    let quiet = try FaultDisk(folder: copy.path)
                    defer { withExtendedLifetime(quiet) {} }
                    let problem = try check(copy.file(), acknowledged: acknowledged)
                    #expect(
                        problem == nil,
                        "\(disk.place), \(moment), \(loss); try again: \(points.description(of: point))")
                }
            }
        }
    }
}
