import Foundation
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

/// A replay under way: its source, its cache, and the database that it fills.
///
/// The database is the one that the user wants, or one in a folder that goes away with this.
final class ReplayRun {
    let source: ReplaySource
    let replayer: Replayer
    /// Where the database lies.
    let database: String
    private let folder: String?
    private let progress: ReplayProgress
    private(set) var last: RecordingReader.Entry?

    /// - Parameters:
    ///   - output: Where the database is to stay; nil: nowhere.
    ///   - base: A copy of the database that a recording began with, when the recording does not hold it.
    ///   - record: Makes the recording of the replay itself.
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
            // The system clears its folder of temporary files some day.
        }
    }

    /// Does the next step. nil at the end.
    func step() async throws -> RecordingReader.Entry? {
        guard let entry = try source.next() else { return nil }
        try await replayer.apply(entry)
        last = entry
        try progress.show(entry.number)
        return entry
    }

    /// Writes everything into the database and lets go of it.
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
