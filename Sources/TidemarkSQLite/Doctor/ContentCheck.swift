import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore

/// Examines the contents of a data file, on one committed state.
///
/// Checks are independent: damage that ends one of them does not prevent the next.
struct ContentCheck {
    private let file: DataFilePath

    /// The most lines of SQLite's check that are reported.
    private static let checkLineCountMax = 5

    private let describeViews: Examination.ViewDescription?

    init(_ file: DataFilePath, _ describeViews: Examination.ViewDescription? = nil) {
        self.file = file
        self.describeViews = describeViews
    }

    /// Examines the contents and adds the findings.
    ///
    /// A file without a log is read as immutable, so that SQLite creates no files beside it. A writer that starts
    /// meanwhile may change pages during the examination; then it is repeated, this time with the log.
    func look(into examination: inout Examination) {
        for _ in 0..<ContentCheck.attemptCountMax {
            let before = fingerprint
            let hasLog = DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0
            var found = Examination(path: file.path)
            look(hasLog: hasLog, &found)
            guard hasLog || fingerprint == before else { continue }
            examination.findings += found.findings
            return
        }
        examination.add(
            .note, .contents, .unreadable, "the file was replaced while it was examined", at: file.path,
            advice: "run doctor again")
    }

    private static let attemptCountMax = 3

    /// The inode, size and time of the main file, and the size of its log. They change whenever the main file or the
    /// size of its log changes.
    private var fingerprint: [Int64] {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return [] }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return [
            Int64(status.st_ino), Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
            DataFilePath.byteCount(file.writeAheadLog) ?? 0,
        ]
    }

    private func look(hasLog: Bool, _ examination: inout Examination) {
        do {
            try examine(try ReadConnection(path: file.path, isImmutable: !hasLog), &examination)
        } catch let failure as SQLiteError where hasLog && failure.storageCode == .inputOutput {
            examination.add(
                .warning, .neighbours, .logUnread,
                "the log cannot be read from here (\(failure.message)): the findings below leave it out",
                at: file.writeAheadLog, advice: "run doctor again as a user who may write to the folder")
            var whole = examination
            attempt(&whole) { examination in
                try examine(try ReadConnection(path: file.path, isImmutable: true), &examination)
            }
            examination = whole
        } catch {
            report(error, &examination)
        }
    }

    private func examine(_ connection: ReadConnection, _ examination: inout Examination) throws {
        try connection.execute("BEGIN")
        let handle = connection.handle
        guard try isOurs(handle, &examination) else { return }
        attempt(&examination) { try lookAtMode(handle, &$0) }
        attempt(&examination) { try quickCheck(handle, &$0) }
        attempt(&examination) { examination in
            let names = try ReadNames(handle)
            try LibraryCheck(handle).look(into: &examination)
            attempt(&examination) { try DictionaryCheck(handle, names).look(into: &$0) }
            attempt(&examination) { try ListCheck(handle, names).look(into: &$0) }
            attempt(&examination) { try lookAtRecords(handle, &$0) }
        }
        try connection.execute("COMMIT")
    }

    /// Runs one check. An error that ends it becomes a finding.
    private func attempt(_ examination: inout Examination, _ body: (inout Examination) throws -> Void) {
        do {
            try body(&examination)
        } catch {
            report(error, &examination)
        }
    }

    private func report(_ error: any Error, _ examination: inout Examination) {
        let failure = SQLiteError.storageError(error, path: file.path)
        let cause = failure.cause.isEmpty ? failure.message : failure.cause
        let finding = Finding(
            failure.code == .locked ? .warning : .problem, .contents, .unreadable, "the file cannot be read: \(cause)",
            at: file.path,
            advice: failure.code == .locked
                ? "run doctor again" : "tidemark verify --repair keeps the readable rows in a new file")
        if !examination.findings.contains(finding) { examination.findings.append(finding) }
    }

    private func lookAtRecords(_ connection: OpaquePointer, _ examination: inout Examination) throws {
        if let text = try describeViews?({ try RecordTable.read(connection, kind: $0) }) {
            examination.add(.ok, .contents, .views, text)
        }
        let damaged = try RecordTable.damaged(connection)
        guard let first = damaged.first else { return }
        examination.add(
            .problem, .contents, .recordDamaged,
            damaged.count == 1
                ? "a record of the kind \(first.kind) fails its check" : "\(damaged.count) records fail their check",
            advice: "tidemark verify --repair leaves them out; what can be computed is computed again")
    }

    // MARK: The file

    private func isOurs(_ connection: OpaquePointer, _ examination: inout Examination) throws -> Bool {
        let version = try DataFileSchema.version(connection)
        // A newer program's upgrade may be in the log alone.
        let header = FileHeader(version: try DataFileSchema.storedVersion(connection))
        if let refusal = header.refusal(path: file.path) {
            let code: FindingCode = if case .compressed = header { .codecMissing } else { .newerFormat }
            examination.add(.problem, .file, code, refusal.message, at: file.path, advice: refusal.advice)
            return false
        }
        switch try DataFileSchema.inspect(connection, version: version) {
        case .ours: return true
        case .foreign(let what):
            examination.add(
                .problem, .file, .notOurs, "the file has the \(what), which tidemark did not make", at: file.path,
                advice: "drop it with the program that made it, or pass another file name")
            return false
        case .damaged(let what):
            examination.add(
                .problem, .file, .schemaDamaged, what, at: file.path,
                advice: "tidemark verify --repair keeps the readable rows, and moves the damaged file aside")
            return true
        }
    }

    /// Reads the journal mode from the header's own two bytes, because a connection that reads only the main file
    /// reports a mode of its own.
    private func lookAtMode(_ connection: OpaquePointer, _ examination: inout Examination) throws {
        var bytes: [UInt8] = [2, 2]
        // A writer of this process always uses a log, and closing our descriptor here would release its locks.
        if FilesInUse.contains(file.path) {
            // Nothing is read.
        } else if let owner = SealedFiles.owner(of: file.path) {
            guard let header = try SealedFiles.databaseHeader(of: file.path, owner), header.count >= 20 else { return }
            bytes = Array(header[18..<20])
        } else {
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            guard pread(descriptor, &bytes, 2, 18) == 2 else { return }
        }
        if bytes == [2, 2] {
            examination.add(.ok, .file, .journalMode, "the journal is a write-ahead log", at: file.path)
        } else {
            examination.add(
                .warning, .file, .journalMode,
                "another program switched off the write-ahead log: readers and the writer block each other",
                at: file.path, advice: "nothing: the next writer switches it on again")
        }
    }

    private func quickCheck(_ connection: OpaquePointer, _ examination: inout Examination) throws {
        var lines: [String] = []
        do {
            let check = try PreparedStatement(connection, "PRAGMA quick_check(\(ContentCheck.checkLineCountMax))")
            // One row may hold several lines under a heading that names the database.
            try check.forEachRow { row in
                lines += row.text(0).description.split(separator: "\n").map(String.init)
                    .filter { $0 != "ok" && !$0.hasPrefix("***") }
            }
        } catch let failure as SQLiteError where failure.storageCode == .damaged {
            lines.append(failure.message)
        }
        if lines.isEmpty {
            examination.add(
                .ok, .file, .quickCheck, "SQLite finds no damage in the file; tidemark verify checks every row",
                at: file.path)
        }
        for line in lines.prefix(ContentCheck.checkLineCountMax) {
            examination.add(
                .problem, .file, .quickCheck, "SQLite: \(line)", at: file.path,
                advice: "tidemark verify --repair keeps the readable rows, and moves the damaged file aside")
        }
    }
}
