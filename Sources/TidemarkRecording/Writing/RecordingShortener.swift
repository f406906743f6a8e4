import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore

/// Shortens a full recording: it replays the older half, and the resulting database becomes the recording's start.
///
/// The engine does not take part. The cut is made where no event is held or missing and no response is awaited, so that
/// the database contains the whole state.
package struct RecordingShortener: Sendable {
    /// Opens a journal on a file, which it creates if it is missing.
    private let open: @Sendable (String) async throws(StorageError) -> any Journal
    private let policy: CachePolicy

    /// Creates a shortener.
    ///
    /// - Parameters:
    ///   - policy: The policy, parsed from ``RecordingSetup/policy``.
    ///   - open: Opens a journal on a file, which it creates if it is missing.
    package init(
        policy: CachePolicy, open: @escaping @Sendable (String) async throws(StorageError) -> any Journal
    ) {
        self.policy = policy
        self.open = open
    }

    /// The new start of a full recording.
    struct Cut {
        var setup: RecordingSetup
        var base: [UInt8]
        /// The offset at which the remaining entries begin.
        var offset: Int64
    }

    /// Finds the place at which to cut a recording.
    ///
    /// - Parameter limit: The maximum size of the file in bytes.
    /// - Returns: nil when there is no place to cut, or the database there takes more than half of the limit.
    /// - Throws: ``RecordingError``, ``/Tidemark/StorageError``.
    func cut(_ path: String, limit: Int64) async throws -> Cut? {
        let reader = try RecordingReader(path)
        // A replay cannot restore entities that are excluded from the disk, and it cannot start without the external
        // database.
        guard reader.setup.diskExcludedTypes.isEmpty, reader.setup.base != .external else { return nil }
        let database = path + ".base"
        RecordingShortener.remove(database)
        defer { RecordingShortener.remove(database) }
        if !reader.base.isEmpty { try RecordingShortener.write(reader.base, to: database) }
        let replayer = try await Replayer(reader.setup, policy: policy, journal: try await open(database))
        let byteCount = Int64(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        let goal = reader.firstEntryOffset + (byteCount - reader.firstEntryOffset) / 2
        var setup = reader.setup
        var next = try reader.next()
        while let entry = next {
            try await replayer.apply(entry)
            setup.openedAt = entry.at
            next = try reader.next()
            guard let following = next, following.offset >= goal, await replayer.cache.isQuiet else { continue }
            setup.attempts = await replayer.cache.reconcileAttempts
            try await replayer.close()
            guard replayer.divergence == nil else { return nil }
            let base = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database)))
            guard Int64(base.count) / 3 * 4 <= limit / 2 else { return nil }
            setup.base = .included
            setup.droppedCount += replayer.entryCount
            return Cut(setup: setup, base: base, offset: following.offset)
        }
        try await replayer.close()
        return nil
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        guard chmod(path, 0o600) == 0 else {
            throw RecordingError(.inputOutput, "cannot restrict \(path) to its owner")
        }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-lock", "-journal"] { unlink(path + suffix) }
    }
}
