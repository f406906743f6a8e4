import Tidemark

/// A damaged file, opened for reading as well as possible.
struct SalvageSource {
    let connection: ReadConnection
    /// The file's format as its tables show it; the header may be damaged.
    let version: Int32
    /// True if the file can be read only by a known header, not by its own.
    let needsKnownHeader: Bool

    /// Opens a file. Tries it with its own log before without one, and by a known header before its own: a known header
    /// reads everything that an undamaged one does, and a damaged one may read garbage or nothing.
    ///
    /// - Returns: nil when SQLite cannot open it in any of these ways.
    static func open(_ file: DataFilePath) -> SalvageSource? {
        let hasLog = DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0 && !LogIdentity.isForeign(file)
        for isImmutable in hasLog ? [false, true] : [true] {
            for isKnown in [true, false] {
                guard let source = open(file, isImmutable: isImmutable, isKnown: isKnown) else { continue }
                return source
            }
        }
        return nil
    }

    /// Returns how data of a file may be compressed, as its own header and log show it; the build's method when they
    /// cannot be read.
    static func compressions(of file: DataFilePath) -> Set<DataCompression> {
        do {
            let hasLog = DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0 && !LogIdentity.isForeign(file)
            let connection = try ReadConnection(path: file.path, isImmutable: !hasLog)
            let version = try DataFileSchema.storedVersion(connection.handle)
            return FileFormat(version: version)?.compressions ?? [.standard]
        } catch {
            return [.standard]
        }
    }

    /// Returns true if a file with a damaged mark is a Tidemark file: read by a known header, it has the tables of one.
    ///
    /// Files of other programs are not taken for Tidemark's: at most one bit of the mark may differ, and every table
    /// must have exactly its columns.
    static func isOurs(_ file: DataFilePath, markedAs applicationID: Int32) -> Bool {
        guard (applicationID ^ DataFile.applicationID).nonzeroBitCount == 1,
            let source = open(file, isImmutable: true, isKnown: true)
        else { return false }
        do {
            return try DataFileSchema.inspect(source.connection.handle, version: source.version) == .ours
        } catch {
            return false
        }
    }

    private static func open(_ file: DataFilePath, isImmutable: Bool, isKnown: Bool) -> SalvageSource? {
        var header: [UInt8]?
        if isKnown {
            header = KnownHeader.make(for: file.path, hasLog: !isImmutable, version: DataFile.formatVersion)
            guard header != nil else { return nil }
        }
        do {
            let connection = try ReadConnection(path: file.path, isImmutable: isImmutable, header: header)
            try connection.execute("BEGIN")
            try connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
            let version = DataFileSchema.versionOfTables(connection.handle) ?? DataFile.formatVersion
            return SalvageSource(
                connection: connection, version: version,
                needsKnownHeader: isKnown && !isReadable(file, isImmutable: isImmutable, version: version))
        } catch {
            // The file may still open in another way.
            return nil
        }
    }

    /// Returns true if a file can be read by its own header, and that shows a Tidemark file of the given format.
    private static func isReadable(_ file: DataFilePath, isImmutable: Bool, version: Int32) -> Bool {
        do {
            // A newer header may be in the log.
            let isOurs = try FileHeader.read(file.path) == .ours(version: version) || !isImmutable
            return isOurs && open(file, isImmutable: isImmutable, isKnown: false) != nil
        } catch {
            return false
        }
    }
}
