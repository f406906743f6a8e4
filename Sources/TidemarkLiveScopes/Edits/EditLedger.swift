import Tidemark
import TidemarkJSON
import TidemarkModel

/// Which edits were handed on, so that each is handed on once: for 24 hours, on the disk.
struct EditLedger {
    static let kind: ByteString = "scope-edit"
    /// How long an edit is known: 24 hours, in seconds.
    static let secondCount: Int64 = 24 * 60 * 60
    /// The most edits that are known, and those of one subject. Further ones are refused until others are old.
    private static let countMax = 100_000
    private static let subjectCountMax = 10_000

    /// One edit.
    struct Entry: Hashable {
        let digest: ByteString
        /// When it was handed on first, in seconds.
        let second: Int64
        let subject: ByteString
        let pendingID: ByteString
        /// The library id of the scope, and the source library.
        let scope: ByteString
        let library: ByteString
        /// True once the edit's outcome came. It is stored with this mark, and answers repeated requests.
        var isSettled = false
    }

    private(set) var entries: [ByteString: Entry] = [:]
    private var subjectCounts: [ByteString: Int] = [:]
    /// The edits that are being handed on, with those who wait for the outcome.
    private var underWay: [ByteString: [CheckedContinuation<Void, Never>]] = [:]

    /// The kind under which the outcome of an edit is stored, so that it is read without others.
    static func outcomeKind(_ key: ByteString) -> ByteString {
        ByteString(Array("scope-edit-outcome:".utf8) + key.bytes)
    }

    /// The key of an edit: a digest, since the names in it may be long.
    static func key(subject: ByteString, scope: ByteString, pendingID: ByteString) -> ByteString {
        var text: [UInt8] = []
        for part in [subject, scope, pendingID] { text += Array("\(part.bytes.count):".utf8) + part.bytes }
        return ByteString(SHA256Digest(of: text).hexadecimal)
    }

    /// Adds an edit.
    ///
    /// - Returns: False if there are too many.
    mutating func add(_ entry: Entry, _ key: ByteString) -> Bool {
        guard
            entries[key] != nil
                || entries.count < EditLedger.countMax
                    && subjectCounts[entry.subject, default: 0] < EditLedger.subjectCountMax
        else { return false }
        if entries.updateValue(entry, forKey: key) == nil { subjectCounts[entry.subject, default: 0] += 1 }
        return true
    }

    mutating func settle(_ key: ByteString) { entries[key]?.isSettled = true }

    /// Forgets the edits that are older than 24 hours.
    ///
    /// - Returns: The changes of records.
    mutating func forgetOld(now: Int64) -> [RecordChange] {
        var changes: [RecordChange] = []
        for (key, entry) in entries where now - entry.second > EditLedger.secondCount && underWay[key] == nil {
            entries[key] = nil
            let count = subjectCounts[entry.subject, default: 0] - 1
            subjectCounts[entry.subject] = count > 0 ? count : nil
            changes.append(RecordChange(kind: EditLedger.kind, key: key, body: nil))
            changes.append(RecordChange(kind: EditLedger.outcomeKind(key), key: "", body: nil))
        }
        return changes
    }

    // MARK: One at a time

    func isUnderWay(_ key: ByteString) -> Bool { underWay[key] != nil }

    mutating func begin(_ key: ByteString) { underWay[key] = [] }

    mutating func wait(for key: ByteString, _ continuation: CheckedContinuation<Void, Never>) {
        guard underWay[key] != nil else { return continuation.resume() }
        underWay[key]?.append(continuation)
    }

    mutating func end(_ key: ByteString) {
        for waiter in underWay.removeValue(forKey: key) ?? [] { waiter.resume() }
    }
}

extension EditLedger.Entry {
    /// The change that stores the edit.
    func change(_ key: ByteString) -> RecordChange {
        var line = JSONLine()
        line.object { line in
            line.member("digest", Optional(digest))
            line.member("second", second)
            line.member("subject", Optional(subject))
            line.member("pending_id", Optional(pendingID))
            line.member("scope", Optional(scope))
            line.member("library", Optional(library))
            line.member("settled", isSettled)
        }
        return RecordChange(kind: EditLedger.kind, key: key, body: line.bytes)
    }

    /// Reads the body of a record; nil if it is none.
    init?(body: [UInt8]) {
        let members = JSONSlice(compact: body[...]).members ?? [:]
        func text(_ name: String) -> ByteString? { members[Array(name.utf8)]?.text.map { ByteString($0) } }
        guard let digest = text("digest"), let subject = text("subject"), let pendingID = text("pending_id"),
            let scope = text("scope"), let library = text("library"),
            let second = members[Array("second".utf8)]?.integer,
            let isSettled = members[Array("settled".utf8)]?.bool
        else { return nil }
        self.init(
            digest: digest, second: second, subject: subject, pendingID: pendingID, scope: scope, library: library,
            isSettled: isSettled)
    }
}
