import CSQLiteShim
import Foundation
import Synchronization
import Tidemark

/// The encrypted data files that this process uses, with the program's key for each.
///
/// A file without an entry here is opened without the VFS of sealed files.
///
/// Bound: one entry a file in use.
enum SealedFiles {
    private static let owners = Mutex<[String: (owner: SealedOwner, useCount: Int)]>([:])
    /// Held while the VFS of sealed files is the default one.
    private static let defaultLock = Mutex(())

    /// Returns the owner of a data file, also for the name under which its replacement is written; nil for a file that
    /// is not encrypted.
    static func owner(of path: String) -> SealedOwner? {
        owners.withLock { owners in
            if owners.isEmpty { return nil }
            if let found = owners[path] { return found.owner }
            for suffix in DataFilePath.suffixesOfNewFiles where path.hasSuffix(suffix) {
                return owners[String(path.dropLast(suffix.count))]?.owner
            }
            return nil
        }
    }

    /// Runs `open`, which opens a connection without naming a VFS, through the VFS of sealed files if the file is
    /// encrypted.
    static func opening<Connection: Sendable>(_ path: String, _ open: () throws -> Connection) throws -> Connection {
        guard owner(of: path) != nil else { return try open() }
        return try defaultLock.withLock { _ in
            tidemark_sqlite_use_sealed_vfs(1)
            defer { tidemark_sqlite_use_sealed_vfs(0) }
            return try open()
        }
    }

    /// Keeps the key of a file for as long as this object lives.
    final class Use: Sendable {
        private let path: String

        init(_ owner: SealedOwner) {
            path = owner.path
            SealedFiles.owners.withLock { owners in
                let known = owners[owner.path]
                owners[owner.path] = (owner: known?.owner ?? owner, useCount: (known?.useCount ?? 0) + 1)
            }
        }

        deinit {
            SealedFiles.owners.withLock { owners in
                guard let known = owners[path] else { return }
                if known.useCount > 1 {
                    owners[path] = (owner: known.owner, useCount: known.useCount - 1)
                } else {
                    owners[path] = nil
                }
            }
        }
    }

    // MARK: Opening

    /// Checks the key for a file, and keeps it.
    ///
    /// A file without a key is not read here: ``FileHeader`` shows whether it needs one.
    ///
    /// - Returns: nil if there is no key, so that the file is opened without the VFS of sealed files.
    /// - Throws: ``/Tidemark/StorageError``: `.keyNeeded`, `.wrongKey`, `.notEncrypted`, `.inputOutput`.
    static func use(
        _ file: DataFilePath, _ encryption: (any DataFileEncryption)?
    ) throws(StorageError) -> Use? {
        guard let encryption else {
            // Another part of this process has the key; whoever has none must not read through it.
            if owner(of: file.path) != nil { throw keyNeeded(file.path) }
            return nil
        }
        guard SealedPort.registration == 0 else {
            throw StorageError(
                .inputOutput, "SQLite cannot read encrypted files", cause: "\(SealedPort.registration)",
                advice: "report this as a bug")
        }
        if FilesInUse.contains(file.path) {
            guard let owner = owner(of: file.path) else { throw notEncrypted(file.path) }
            guard owner.isSame(encryption) else { throw wrongKey(file.path) }
            return Use(owner)
        }
        for path in [file.path, file.replacement, file.erasure] {
            guard let bytes = try header(of: path), !bytes.isEmpty else { continue }
            if let header = SealedHeader.newest(in: bytes) {
                guard header.isOf(encryption) else { throw wrongKey(path) }
            } else if !SealedHeader.isMarked(bytes), FileHeader.isPlain(bytes) {
                throw notEncrypted(path)
            }
        }
        return Use(SealedOwner(file.path, encryption))
    }

    /// Returns the first bytes of a file that this process does not have open; nil when there is no file.
    static func header(of path: String) throws(StorageError) -> [UInt8]? {
        try bytes(of: path, from: 0, count: SealedHeader.byteCount)
    }

    /// Returns the first 100 bytes of an encrypted database as SQLite sees them; empty for a new file, nil when they
    /// cannot be opened.
    static func databaseHeader(of path: String, _ owner: SealedOwner) throws(StorageError) -> [UInt8]? {
        guard let header = try header(of: path), !header.isEmpty else { return [] }
        let pageByteCount = Int(TIDEMARK_SEAL_PAGE_BYTE_COUNT)
        let sealed = try bytes(
            of: path, from: SealedHeader.byteCount, count: pageByteCount + Int(TIDEMARK_SEAL_BYTE_COUNT))
        guard let sealed, let key = owner.key(header: header) else { return nil }
        // A process ended after it wrote the header of a new file.
        if sealed.isEmpty { return [] }
        guard sealed.count > Int(TIDEMARK_SEAL_BYTE_COUNT) else { return nil }
        var page = [UInt8](repeating: 0, count: sealed.count - Int(TIDEMARK_SEAL_BYTE_COUNT))
        let isOpen = sealed.withUnsafeBytes { sealed in
            page.withUnsafeMutableBytes {
                key.open(sealed, kind: Int32(TIDEMARK_SEAL_DATABASE.rawValue), chunk: 0, into: $0)
            }
        }
        return isOpen ? Array(page.prefix(KnownHeader.byteCount)) : nil
    }

    /// Returns true if the log beside an encrypted file was written for another encrypted file.
    static func isLogForeign(_ file: DataFilePath) -> Bool {
        guard !FilesInUse.contains(file.path) else { return false }
        do throws(StorageError) {
            let prefix = try bytes(of: file.writeAheadLog, from: 0, count: Int(TIDEMARK_SEAL_PREFIX_BYTE_COUNT)) ?? []
            guard prefix.starts(with: SealedKey.logMagic), let header = try header(of: file.path) else { return false }
            return SealedHeader.newest(in: header).map { SealedKey.logMagic + $0.identity != prefix } ?? false
        } catch {
            // Whoever opens the file next meets the same error and reports it.
            return false
        }
    }

    private static func bytes(of path: String, from offset: Int, count: Int) throws(StorageError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check the file's permissions")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let found = pread(descriptor, &bytes, count, off_t(offset))
        guard found >= 0 else {
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check that it is a file")
        }
        return Array(bytes.prefix(found))
    }

    // MARK: Refusals

    static func keyNeeded(_ path: String) -> StorageError {
        StorageError(.keyNeeded, "\(path) is encrypted; it was not changed", advice: "pass its key, as with --key-file")
    }

    static func wrongKey(_ path: String) -> StorageError {
        StorageError(
            .wrongKey, "\(path) is encrypted with another key; it was not changed", advice: "pass the key of this file")
    }

    static func notEncrypted(_ path: String) -> StorageError {
        StorageError(
            .notEncrypted, "\(path) is not encrypted; it was not changed",
            advice: "open it without a key, or pass another file name for an encrypted one")
    }
}
