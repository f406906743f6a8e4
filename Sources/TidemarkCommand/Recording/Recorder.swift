import Foundation
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

/// Starts the recording of a command that feeds a cache.
enum Recorder {
    /// Refuses an existing file, before anything else is opened or created.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/cannotCreate``.
    static func check(_ options: RecordOptions) throws(Failure) {
        guard let path = options.path else { return }
        do throws(RecordingError) {
            try RecordingWriter.check(path)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: RecordingError) -> Failure {
        Failure(
            .cannotCreate, "cannot_create", error.message, outcome: "nothing was done",
            advice: "pass a new file in a folder that you may write to to --record")
    }

    /// Creates the recording, with a copy of the database unless that is empty.
    ///
    /// - Parameters:
    ///   - journal: The journal of the cache to record, before the cache is opened.
    ///   - policy: The text of the policy file; empty for none.
    /// - Returns: The writer; nil if no recording is requested.
    /// - Throws: ``Failure``, before any input is read.
    static func begin(
        _ options: RecordOptions, command: ByteString, _ configuration: CacheConfiguration, journal: SQLiteJournal,
        hasUpstream: Bool, policy: [UInt8], clock: any CacheClock
    ) async throws -> RecordingWriter? {
        guard let path = options.path else { return nil }
        var (kind, base) = (RecordingSetup.Base.empty, [UInt8]())
        if await journal.openingReport != .created {
            do {
                (kind, base) = try await self.base(of: journal, path, options)
            } catch let error as StorageError where error.code == .damaged {
                // Copying reads parts of the file that opening does not. Nothing of the file has been used yet, so it
                // can be rebuilt.
                _ = try await journal.restart(reason: error.cause)
                (kind, base) = try await self.base(of: journal, path, options)
            }
        }
        let setup = RecordingSetup(
            configuration, command: command, openedAt: clock.now(), base: kind, hasUpstream: hasUpstream,
            policy: policy)
        return try writer(path, setup, base, options, configuration.policy, journal.encryption)
    }

    /// Returns the base of a recording: a copy of the database, or none if it is too large, which is reported.
    private static func base(
        of journal: SQLiteJournal, _ path: String, _ options: RecordOptions
    ) async throws -> (RecordingSetup.Base, [UInt8]) {
        let copy = path + ".base"
        defer { unlink(copy) }
        // Base64 adds a third, so half of the limit remains for the steps.
        if try await journal.copy(to: copy, byteCountMax: options.byteCountMax / 8 * 3) {
            return (.included, [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy))))
        }
        let errors = Output.errors()
        try errors.writeLine(
            "tidemark: recording: the database is too large to be part of the recording; to replay it, keep a copy "
                + "of the database as it is now, and pass that with --base")
        try errors.flush()
        return (.external, [])
    }

    /// Creates the writer of a recording.
    ///
    /// - Parameter encryption: The key of its base, and of the databases that are made from it.
    /// - Throws: ``Failure`` with ``ExitStatus/cannotCreate``.
    static func writer(
        _ path: String, _ setup: RecordingSetup, _ base: [UInt8], _ options: RecordOptions, _ policy: CachePolicy,
        _ encryption: (any DataFileEncryption)?
    ) throws(Failure) -> RecordingWriter {
        let shortener = RecordingShortener(policy: policy) { path throws(StorageError) in
            var configuration = SQLiteJournal.Configuration(path: path)
            configuration.encryption = encryption
            return try await SQLiteJournal.open(configuration)
        }
        do throws(RecordingError) {
            return try RecordingWriter(
                path, setup: setup, base: base, limit: options.byteCountMax, shortener: shortener
            ) { reason in
                let errors = Output.errors()
                do throws(Failure) {
                    try errors.writeLine("tidemark: recording: it has ended: \(Printable.text(reason))")
                    try errors.flush()
                } catch {
                    // Standard error cannot be written; the last line of the recording has the same reason.
                }
            }
        } catch {
            throw failure(error)
        }
    }
}
