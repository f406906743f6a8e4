import Foundation
import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Repairs a damaged data file: copies the rows that pass their check into a new file, and keeps the damaged file
/// aside.
///
/// There is one procedure for every kind of damage. The new file is created beside the damaged one, written in one
/// transaction, and complete before the damaged one is moved. If the process ends in between, it leaves either the
/// damaged file, or a replacement that the next writer finishes. A sound file is not changed.
///
/// ```swift
/// let report = try DataFileRepair.run(path: "cache.db", now: 1_767_225_600_000) { bytes in
///     bytes.first == UInt8(ascii: "{") && bytes.last == UInt8(ascii: "}")
/// }
/// for step in report.steps { print(step) }
/// print(report.after.isSound, report.movedTo ?? "not moved")
/// ```
///
/// - Source: docs/data-file.md; docs/operating.md, damage.
public enum DataFileRepair {
    /// Verifies a data file, and repairs it if a problem is found.
    ///
    /// - Parameters:
    ///   - path: The path of the data file.
    ///   - encryption: The key of an encrypted file; nil for a file that is not encrypted.
    ///   - now: The current time in milliseconds since 1970.
    ///   - isValid: Returns true if the bytes are one JSON object; called on several threads, as in
    ///     ``SQLiteReader/verify(isValid:)``.
    /// - Throws: ``/Tidemark/StorageError``: `.notFound`, `.notOurs`, `.newerFormat`, `.keyNeeded`, `.wrongKey`,
    ///   `.notEncrypted`, `.locked`, `.diskFull`, `.cannotCreate`, `.inputOutput`. The file is unchanged then.
    /// - Complexity: O(bytes of the file), and the same disk space again.
    public static func run(
        path: String, encryption: (any DataFileEncryption)? = nil, now: Int64,
        isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(StorageError) -> RepairReport {
        let file = DataFilePath(path)
        let sealed = try SealedFiles.use(file, encryption)
        defer { withExtendedLifetime(sealed) {} }
        let header = try FileHeader.read(file.path)
        let isKnown = FileTraces.areBeside(file)
        // A mark with one flipped bit, on a file that has all of Tidemark's tables, is damage.
        var isMarkDamaged = false
        if case .foreign(let applicationID) = header {
            isMarkDamaged = SalvageSource.isOurs(file, markedAs: applicationID)
        }
        let refusal = isMarkDamaged ? nil : try DataFileOpener.refusal(of: file, header, isKnown: isKnown)
        if let refusal { throw refusal }
        let hasReplacement = DataFilePath.byteCount(file.replacement) != nil
        let hasErasure = DataFilePath.byteCount(file.erasure) != nil
        guard header != .missing || hasReplacement || hasErasure else {
            throw StorageError(.notFound, "\(file.path) does not exist", advice: "check the name")
        }
        let lock = try WriterLock(file)
        defer { lock.release() }
        var configuration = SQLiteJournal.Configuration(path: file.path)
        configuration.encryption = encryption
        let identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
        defer { identityLock?.release() }
        configuration.now = { now }
        let opener = DataFileOpener(file, configuration, isKnown: isKnown)
        var steps: [RepairStep] = []
        if hasErasure { try close(try opener.finishErasure(.reopened).database, file) }
        if hasReplacement {
            try close(try opener.replace(reason: "it was being replaced when the process ended").database, file)
            steps.append(RepairStep("the new file replaced the damaged one"))
        }
        do {
            if case .ours = header, !hasErasure { try opener.rollBack() }
        } catch {
            // A transaction that cannot be rolled back is damage, which the check below finds.
        }
        let before = isMarkDamaged ? .damagedMark : try verify(file, encryption, isValid)
        guard !before.isSound else { return RepairReport(before: before, after: before, steps: steps) }
        steps += try replaceContents(file, configuration, isValid)
        let opened = try opener.replace(reason: "it was repaired")
        try close(opened.database, file)
        var movedTo: String?
        if case .rebuilt(let target, _) = opened.report { movedTo = target }
        return RepairReport(
            before: before, after: try verify(file, encryption, isValid), steps: steps, movedTo: movedTo)
    }

    private static func verify(
        _ file: DataFilePath, _ encryption: (any DataFileEncryption)?,
        _ isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(StorageError) -> VerifyReport {
        do throws(StorageError) {
            return try SQLiteReader(path: file.path, encryption: encryption).verify(isValid: isValid)
        } catch {
            guard error.code == .damaged else { throw error }
            var report = VerifyReport()
            report.add(.integrity(error.cause.isEmpty ? error.message : error.cause))
            return report
        }
    }

    /// Creates the new file and marks it as the replacement.
    private static func replaceContents(
        _ file: DataFilePath, _ configuration: SQLiteJournal.Configuration,
        _ isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(StorageError) -> [RepairStep] {
        do {
            var configuration = configuration
            configuration.layout = layout(of: file)
            try DataFileConnection.make(file, contents: FlushBatch(), configuration)
            let steps = try fill(file, configuration, isValid)
            try DataFileConnection.promise(file, configuration)
            return steps
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
            throw SQLiteError.storageError(error, path: file.path)
        }
    }

    private static func fill(
        _ file: DataFilePath, _ configuration: SQLiteJournal.Configuration,
        _ isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws -> [RepairStep] {
        var steps: [RepairStep] = []
        if LogIdentity.isForeign(file) {
            steps.append(
                RepairStep(
                    "the log belongs to another database, and was left out",
                    advice: "if you have its own log, put both back, and repair them instead"))
        }
        if let source = SalvageSource.open(file) {
            if source.needsKnownHeader {
                steps.append(
                    RepairStep("the first bytes of the file are damaged: it was read by what they must have been"))
            }
            let queue = try DataFileConnection.open(file.unfinished)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.inTransaction(.immediate) {
                    guard let target = db.sqliteConnection else { return .rollback }
                    let salvage = try Salvage(source, into: target, now: configuration.now(), isValid: isValid)
                    try salvage.copy()
                    // Most rows keep their bytes.
                    try DataFileSchema.declare(SalvageSource.compressions(of: file), db)
                    steps += salvage.steps
                    return .commit
                }
            }
            try queue.close()
        } else {
            steps.append(
                RepairStep(
                    "nothing in the file can be read: an empty one replaces it",
                    advice: "feed the logs of all libraries from the start"))
        }
        // The new file is opened as every writer opens it: indexes are built and the log is copied back before the file
        // gets its name.
        let database = try JournalDatabase(DataFilePath(file.unfinished), configuration)
        do {
            _ = try database.recover()
            try database.changeIndexes(FieldIndexChanges(), progress: nil)
        } catch {
            try database.close()
            throw error
        }
        for record in database.memory.indexes { steps.append(RepairStep("the index \(record.name) was rebuilt")) }
        try database.close()
        return steps
    }

    /// Returns how the damaged file stores entities; the new file keeps it.
    private static func layout(of file: DataFilePath) -> EntityLayout {
        guard let source = SalvageSource.open(file) else { return .blocks }
        return withExtendedLifetime(source.connection) {
            SalvageScan(source.connection.handle).layout(source.version)
        }
    }

    private static func close(_ database: JournalDatabase, _ file: DataFilePath) throws(StorageError) {
        do { try database.close() } catch { throw SQLiteError.storageError(error, path: file.path) }
    }
}

extension VerifyReport {
    /// The report about a file whose mark is damaged.
    fileprivate static var damagedMark: VerifyReport {
        var report = VerifyReport()
        report.add(.integrity("the mark of a Tidemark file is damaged"))
        return report
    }
}
