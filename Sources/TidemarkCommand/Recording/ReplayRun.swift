import Foundation
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

/// A replay in progress, with its source, its cache and its database.
///
/// The database is the file that the user named, or one in a temporary folder that is deleted with this object.
final class ReplayRun {
    let source: ReplaySource
    let replayer: Replayer
    /// The path of the database.
    let database: String
    private let folder: String?
    private let progress: ReplayProgress
    private(set) var last: RecordingReader.Entry?

    /// Prepares the database of a replay.
    ///
    /// - Parameters:
    ///   - output: Where to keep the database; nil for a temporary one.
    ///   - base: A copy of the database with which the recording began, if the recording does not contain it.
    ///   - encryption: The key of the database, if it is encrypted.
    ///   - record: Creates the recording of the replay itself; returns nil for none.
    /// - Throws: ``Failure``, ``/Tidemark/StorageError``.
    init(
        _ source: ReplaySource, output: String? = nil, base: String? = nil,
        encryption: (any DataFileEncryption)? = nil,
        record: (RecordingSetup, [UInt8]) throws -> RecordingWriter? = { _, _ in nil }
    ) async throws {
        self.source = source
        progress = ReplayProgress(Output.errors())
        if let output {
            guard !FileManager.default.fileExists(atPath: output) else {
                throw Failure(
                    .cannotCreate, "cannot_create", "the database exists already", place: output,
                    outcome: "nothing was done", advice: "pass the name of a new file")
            }
            folder = nil
            database = output
        } else {
            let made = try ReplayRun.makeFolder()
            folder = made
            database = made + "/replay.db"
        }
        let bytes = try ReplayRun.base(of: source, given: base)
        if !bytes.isEmpty {
            try Data(bytes).write(to: URL(fileURLWithPath: database))
            _ = chmod(database, 0o600)
        }
        let journal = try await ReplayRun.journal(database, copiedFrom: base, encryption)
        let writer: RecordingWriter?
        do {
            writer = try record(source.setup, bytes)
        } catch {
            try await journal.close()
            throw error
        }
        self.writer = writer
        replayer = try await Replayer(
            source.setup, policy: source.policy, journal: journal, recorder: writer, isCompared: source.isRecording)
    }

    /// Opens the database of the replay.
    ///
    /// - Parameter base: The user's file of which `database` is a copy; nil if the recording contains its own base.
    /// - Throws: ``Failure`` that names the user's file rather than the copy; ``/Tidemark/StorageError`` without a
    ///   base.
    private static func journal(
        _ database: String, copiedFrom base: String?, _ encryption: (any DataFileEncryption)?
    ) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: database)
        configuration.encryption = encryption
        guard let base else { return try await SQLiteJournal.open(configuration) }
        let journal: SQLiteJournal
        do throws(StorageError) {
            journal = try await SQLiteJournal.open(configuration)
        } catch {
            var failure = Failure(error, isReader: true)
            // The journal reports resolved paths: without links, and without doubled slashes.
            for name in [resolved(database), database] {
                failure.what = failure.what.replacingOccurrences(of: name, with: base)
                failure.place = failure.place.replacingOccurrences(of: name, with: base)
                failure.advice = failure.advice.replacingOccurrences(of: name, with: base)
            }
            failure.outcome = "nothing was replayed"
            throw failure
        }
        guard case .rebuilt(_, let reason) = await journal.openingReport else { return journal }
        try await journal.close()
        throw Failure(
            .badData, "damaged", "the copy of the database is damaged (\(reason))", place: base,
            outcome: "nothing was replayed",
            advice: "pass an undamaged copy of the database as it was when the recording began")
    }

    private let writer: RecordingWriter?

    deinit {
        guard let folder else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            // The system clears its temporary folder eventually.
        }
    }

    /// Resolves links in a path.
    ///
    /// - Returns: The path itself if the system cannot resolve it.
    private static func resolved(_ path: String) -> String {
        guard let name = realpath(path, nil) else { return path }
        defer { free(name) }
        return String(cString: name)
    }

    /// Replays the next step; returns nil at the end.
    func step() async throws -> RecordingReader.Entry? {
        guard let entry = try source.next() else { return nil }
        try await replayer.apply(entry)
        last = entry
        try progress.show(entry.number)
        return entry
    }

    /// Writes everything into the database and closes it.
    func close() async throws {
        try progress.clear()
        try await replayer.close()
        await writer?.finish("the replay ended")
    }

    private static func makeFolder() throws(Failure) -> String {
        let path = NSTemporaryDirectory() + "/tidemark-replay-\(UUID().uuidString)"
        guard mkdir(path, 0o700) == 0 else {
            throw Failure(
                .cannotCreate, "cannot_create", "no folder can be made for the replay",
                place: "\(path): \(SystemError.last.text)", outcome: "nothing was done",
                advice: "free space there, or set TMPDIR")
        }
        return path
    }

    private static func base(of source: ReplaySource, given path: String?) throws(Failure) -> [UInt8] {
        guard source.setup.base == .external else {
            guard path == nil else {
                throw .usage("the recording needs no --base", advice: "leave it out")
            }
            return source.base
        }
        guard let path else {
            throw Failure(
                .usage, "no_base", "the recording began with a database that was too large to be part of it",
                outcome: "nothing was replayed", advice: "pass a copy of the database from that time with --base")
        }
        do {
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw Failure(
                .noInput, "not_found", "the copy of the database cannot be read", place: path,
                outcome: "nothing was replayed", advice: "check the name")
        }
    }
}
