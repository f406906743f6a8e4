import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkEncryption
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Erasures and rotations whose process stops at any change of the disk. Law: L5.
@Suite(.pooled, .tags(.crash)) struct ErasingCrashTests {
    private static let kept = ByteString("kept-library")
    private static let erased = ByteString("erased-library")

    private static func open(_ path: String, _ layout: EntityLayout, _ key: UInt8?) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        configuration.encryption = try key.map { try SealedFixture.key($0) }
        return try await SQLiteJournal.open(configuration)
    }

    /// Creates a file with two libraries.
    private static func fill(_ path: String, _ layout: EntityLayout, _ key: UInt8?) async throws {
        let journal = try await open(path, layout, key)
        var cache = SmallCache()
        for library in [kept, erased] {
            for number in 0..<20 {
                cache.put(
                    EntityKey(library: library, type: "file", id: ByteString("\(library)-\(number)")),
                    #"{"id":"\#(library)-\#(number)","text":"\#(library) text"}"#)
            }
        }
        try await journal.commit(cache.take())
        try await journal.close()
    }

    /// Copies the files of a folder into a new one.
    private static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in try folder.names {
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
        }
        return copy
    }

    /// Stops a process at changes of the disk, and checks what it and a loss of power leave.
    ///
    /// - Parameters:
    ///   - prepared: The files with which each run begins.
    ///   - run: What is stopped. Sets the flag once it has returned to its caller.
    ///   - check: Checks a folder after the stop.
    private static func stopEverywhere(
        _ prepared: TemporaryFolder, _ run: (String, inout Bool) async throws -> Void,
        _ check: (TemporaryFolder, _ isDone: Bool, _ place: String) async throws -> Void
    ) async throws {
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 6), only: TestScale.point.number, seed: TestScale.randomSeed)
        let folder = try copy(prepared)
        let quiet = try FaultDisk(folder: folder.path)
        var isDone = false
        try await run(folder.file(), &isDone)
        #expect(isDone)
        let changeCount = quiet.changeCount
        try await check(folder, true, "at the end")
        for point in points.chosen(of: changeCount) {
            for moment in FaultDisk.Moment.allCases {
                let folder = try copy(prepared)
                let disk = try FaultDisk(folder: folder.path)
                disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
                var isDone = false
                do { try await run(folder.file(), &isDone) } catch { #expect(disk.isStopped, "\(error)") }
                for loss: FaultDisk.Loss in [.process, .power(seed: points.seed(at: point, 1))] {
                    let left = try TemporaryFolder()
                    try disk.writeImage(loss, to: left.path)
                    let quiet = try FaultDisk(folder: left.path)
                    defer { withExtendedLifetime(quiet) {} }
                    try await check(left, isDone, "\(disk.place), \(moment), \(loss)")
                }
            }
        }
    }

    @Test(arguments: EntityLayout.allCases, [nil, 7] as [UInt8?])
    func `an erasure that is interrupted has happened or not, and the next opening leaves no trace of a half`(
        layout: EntityLayout, key: UInt8?
    ) async throws {
        let prepared = try TemporaryFolder()
        try await Self.fill(prepared.file(), layout, key)
        try await Self.stopEverywhere(prepared) { path, isDone in
            let journal = try await Self.open(path, layout, key)
            #expect(try await journal.erase(library: Self.erased))
            isDone = true
            try await journal.close()
        } _: { folder, isDone, place in
            if isDone {
                #expect(try SealedFixture.leaks(of: ["erased-library"], in: folder.path) == [:], "\(place)")
            }
            let journal = try await Self.open(folder.file(), layout, key)
            #expect(await journal.openingReport == .reopened, "\(place)")
            try await journal.close()
            let reader = try SQLiteReader(
                path: folder.file(), encryption: try key.map { try SealedFixture.key($0) })
            #expect(try reader.verify().problems == [], "\(place)")
            var counts: [ByteString: Int] = [:]
            try reader.walk { step in
                if case .entity(let entity) = step { counts[entity.key.library, default: 0] += 1 }
                return true
            }
            #expect(counts[Self.kept] == 20, "\(place): \(counts)")
            let left = counts[Self.erased] ?? 0
            #expect(isDone ? left == 0 : left == 0 || left == 20, "\(place): \(counts)")
            // What was half erased is whole or gone once the file was opened.
            if left == 0 {
                #expect(try SealedFixture.leaks(of: ["erased-library"], in: folder.path) == [:], "\(place)")
            }
            #expect(try folder.names.allSatisfy { !$0.hasSuffix("-erased") && !$0.hasSuffix("-new") }, "\(place)")
        }
    }

    @Test func `a rotation that is interrupted leaves a file that one of the keys opens, with all its entities`()
        async throws
    {
        let prepared = try TemporaryFolder()
        try await Self.fill(prepared.file(), .blocks, 7)
        try await Self.stopEverywhere(prepared) { path, isDone in
            try await SQLiteJournal.rotateKey(
                path: path, from: try SealedFixture.key(7), to: try SealedFixture.key(8))
            isDone = true
        } _: { folder, isDone, place in
            var opened: [UInt8] = []
            for key: UInt8 in [7, 8] {
                do {
                    let found = try SealedFixture.payloads(folder.file(), key: key)
                    #expect(found.count == 40, "\(place)")
                    opened.append(key)
                } catch let error as StorageError {
                    #expect(error.code == .wrongKey, "\(place): \(error)")
                }
            }
            #expect(isDone ? opened == [8] : opened.count == 1, "\(place): \(opened)")
            guard let key = opened.first else { return }
            // The next writer finishes what was begun, and the other key opens nothing.
            try await Self.open(folder.file(), .blocks, key).close()
            let other: UInt8 = key == 7 ? 8 : 7
            #expect(throws: StorageError.self) { try SealedFixture.payloads(folder.file(), key: other) }
            let bytes = try DamageFixture.contents(folder.file())
            #expect(
                bytes.prefix(SealedHeader.copyByteCount)
                    == bytes.dropFirst(SealedHeader.copyByteCount).prefix(SealedHeader.copyByteCount), "\(place)")
        }
    }
}
