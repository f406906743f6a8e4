import Tidemark
import TidemarkModel
import TidemarkScopes

/// Scopes as records beside the entities: the secret, one entry for each log, and each log in parts: the whole, and
/// behind it what changed.
enum StoredScopes {
    static let secretKind: ByteString = "scope-secret"
    static let entryKind: ByteString = "scope"
    static let secretByteCount = 32
    /// How long a log is kept that nobody asks for: 30 days, in seconds.
    private static let unusedSecondCount: Int64 = 30 * 24 * 60 * 60
    /// The most logs that are kept: 100,000. The one that was used first then goes.
    private static let entryCountMax = 100_000

    /// The kind of the parts of one log, so that they are read without those of others.
    static func partKind(_ library: ByteString) -> ByteString { ByteString(Array("scope-log:".utf8) + library.bytes) }

    /// The key of a part: its number in the order in which they were stored.
    static func partKey(_ number: Int) -> ByteString { ByteString(String(number)) }

    /// Reads the secret and the entries, and removes logs that nobody used for long. Without a secret, one is made and
    /// on the disk before the call returns.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    static func read(
        from cache: SyncCache
    ) async throws(CacheError) -> (
        key: [UInt8], index: [ByteString: StoredLogEntry], edits: [ByteString: EditLedger.Entry]
    ) {
        var index: [ByteString: StoredLogEntry] = [:]
        var changes: [RecordChange] = []
        var key = try await cache.records(of: secretKind)[""] ?? []
        if key.count != secretByteCount {
            var random = SystemRandomNumberGenerator()
            key = (0..<secretByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            changes.append(RecordChange(kind: secretKind, key: "", body: key))
        }
        let now = await cache.now / 1_000
        let records = try await cache.records(of: entryKind)
        let entries = records.compactMap { id, body in StoredLogEntry(body: body).map { (id: id, entry: $0) } }
            .sorted { $0.entry.lastUse > $1.entry.lastUse }
        for (place, (id, entry)) in entries.enumerated() {
            if place < entryCountMax, now - entry.lastUse <= unusedSecondCount {
                index[id] = entry
                continue
            }
            changes.append(RecordChange(kind: entryKind, key: id, body: nil))
            for part in try await cache.records(of: partKind(id)).keys {
                changes.append(RecordChange(kind: partKind(id), key: part, body: nil))
            }
        }
        if !changes.isEmpty { try await cache.write(changes) }
        let edits = try await cache.records(of: EditLedger.kind).compactMapValues { EditLedger.Entry(body: $0) }
        return (key, index, edits)
    }
}

/// What is known of a stored log without reading it.
struct StoredLogEntry: Hashable {
    private static let version: UInt8 = 1

    /// The digest of the scope's definition: the log of another definition is not continued.
    let fingerprint: [UInt8]
    /// When somebody used it last, in seconds.
    let lastUse: Int64

    init(fingerprint: [UInt8], lastUse: Int64) {
        self.fingerprint = fingerprint
        self.lastUse = lastUse
    }

    /// Reads the body of a record; nil if it is none.
    init?(body: [UInt8]) {
        guard body.count > 9, body[0] == StoredLogEntry.version else { return nil }
        lastUse = Int64(bitPattern: body[1..<9].reduce(0) { $0 << 8 | UInt64($1) })
        fingerprint = Array(body[9...])
    }

    func change(of library: ByteString) -> RecordChange {
        let time = (0..<8).map { UInt8(truncatingIfNeeded: lastUse >> (56 - 8 * Int64($0))) }
        return RecordChange(
            kind: StoredScopes.entryKind, key: library, body: [StoredLogEntry.version] + time + fingerprint)
    }
}

/// What the journal has of a log.
struct StoredLog {
    /// The parts, numbered from 0.
    var partCount = 0
    /// The head of what is stored; nil if all of the log has to be stored next.
    var head: ScopePosition?
    /// The bytes of the first part, and of those behind it.
    var wholeByteCount = 0
    var changeByteCount = 0

    /// The bytes of changes up to which the whole is not stored anew, beside those of the whole itself.
    private static let changeByteCountMin = 16 << 10
    private static let partCountMax = 256

    /// True if so much was appended that the whole is stored anew.
    var isLong: Bool {
        partCount >= StoredLog.partCountMax
            || changeByteCount > max(wholeByteCount, StoredLog.changeByteCountMin)
    }
}

/// A log whose scope was released before it was on the disk.
struct PartingLog {
    let image: ScopeLogImage
    let stored: StoredLog
    let entry: StoredLogEntry
    /// True once a flush has taken it.
    var isTaken = false
}
