import Foundation
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

/// A replay in progress, with its source, its cache and its database.
///
/// The database is the file that the user named, or one in a folder that is deleted with this object.
final class ReplayRun {
    let source: ReplaySource
    let replayer: Replayer
    /// The path of the database.
    let database: String
    private let folder: String?
    private let progress: ReplayProgress
    private(set) var last: RecordingReader.Entry?

    /// - Parameters:
    ///   - output: The path at which the database stays; nil when it is temporary.
    ///   - base: A copy of the database with which the recording began, when the recording does not contain it.
    ///   - record: Creates the recording of the replay itself; returns nil for none.
    /// - Throws: ``Failure``, ``Tidemark/StorageError``.
    init(
        _ source: ReplaySource, output: String? = nil, base: String? = nil,
        record: (RecordingSetup, [UInt8]) throws -> RecordingWriter? = { _, _ in nil }
    ) async throws {
        self.source = source
        progress = ReplayProgress(Output.errors())
        if let output {
            guard !FileManager.default.fileExists(atPath: output) else {
                throw Failure(
                    .cannotCreate, "cannot_create", "the database is there already", place: output,
                    outcome: "nothing was done", advice: "give a name that is free")
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
        let writer = try record(source.setup, bytes)
        self.writer = writer
        replayer = try await Replayer(
            source.setup, policy: source.policy, journal: try await SQLiteJournal.open(path: database),
            recorder: writer, isCompared: source.isRecording)
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
                advice: "make room there, or set TMPDIR")
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
                outcome: "nothing was replayed", advice: "pass a copy of the database as it was then with --base")
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
