// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkFaultDisk
import TidemarkModel

/// The example in Sources/TidemarkFaultDisk/CrashPoints.swift.
func exampleTidemarkFaultDisk1(cache: SyncCache) async throws {
    let points = CrashPoints(count: 10, seed: 1)
    for point in points.chosen(of: 500) {
        print(point, points.seed(at: point), points.description(of: point))
    }
}

/// The example in Sources/TidemarkFaultDisk/FaultDisk.swift.
func exampleTidemarkFaultDisk2(cache: SyncCache) async throws {
    let disk = try FaultDisk(folder: "/tmp/disk")
    disk.plan(.stop(.within), at: 17, seed: 1)
    // … use a database in the folder: from the 17th change on every call fails …
    print(disk.place)
    try disk.writeImage(.power(seed: 1), to: "/tmp/image")
}
