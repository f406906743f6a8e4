import TidemarkModel

/// A stored HTTP answer without its body, as a row of the data file. The head is opaque here: TidemarkHTTP writes and
/// reads it.
package struct HTTPRecord: Hashable, Sendable {
    /// The number that the journal gave; 0 for a new answer.
    package var number: Int64 = 0
    package var library: ByteString
    /// The URL in its normal form.
    package var url: ByteString
    /// The method, and the caller's own key.
    package var key: ByteString
    /// Whether the answer ends with the process.
    package var isSession: Bool
    package var head: [UInt8]
    /// The length of the body.
    package var byteCount: Int64
    /// The bytes that head and body take on the disk.
    package var storedByteCount: Int64 = 0
    /// The instant when the answer came or was confirmed, in milliseconds since 1970.
    package var answeredAt: Int64
    package var usedAt: Int64
    package var hitCount: Int64 = 0
    /// The question that a new answer is to; it is not stored. Nothing of an answer is written that was outdated on its
    /// way.
    package var question: HTTPQuestion?

    /// Whether nothing happened since the question that outdates the answer.
    package var mayBeStored: Bool { question?.mayStore ?? true }

    package init(
        library: ByteString, url: ByteString, key: ByteString, isSession: Bool, head: [UInt8], byteCount: Int64,
        answeredAt: Int64
    ) {
        self.library = library
        self.url = url
        self.key = key
        self.isSession = isSession
        self.head = head
        self.byteCount = byteCount
        self.answeredAt = answeredAt
        usedAt = answeredAt
    }
}

/// A selection of stored answers: all that every given part names.
package struct HTTPSelection: Hashable, Sendable {
    package var library: ByteString?
    package var url: ByteString?
    package var key: ByteString?
    package var prefix: ByteString?
    package var isSession: Bool?

    package init(
        library: ByteString? = nil, url: ByteString? = nil, key: ByteString? = nil, prefix: ByteString? = nil,
        isSession: Bool? = nil
    ) {
        self.library = library
        self.url = url
        self.key = key
        self.prefix = prefix
        self.isSession = isSession
    }
}

/// A change of the stored answers. Changes of one list are made in order, in one transaction.
package enum HTTPChange: Hashable, Sendable {
    /// Stores an answer whole, in place of others.
    case store(HTTPRecord, body: [UInt8], replacing: [Int64])
    /// Makes an answer of a body whose chunks are on the disk already. Nothing is stored, and nothing replaced, when
    /// they are not what the draft says: the file was replaced meanwhile.
    case storeDraft(HTTPRecord, HTTPBodyDraft, replacing: [Int64])
    /// Replaces the head of an answer that was confirmed; nothing when it is gone. Alone it waits in memory for the
    /// next write: after a crash the answer is older than it was, and is asked for again.
    case update(number: Int64, head: [UInt8], answeredAt: Int64)
    /// Removes answers; a number that is gone is skipped.
    case remove([Int64])
    case removeAll(HTTPSelection)
}

/// The bound of all stored answers.
package struct HTTPLimits: Hashable, Sendable {
    /// The bytes on the disk above which the least recently used answers go, down to nine tenths: 256 MiB.
    package var byteCountMax: Int64 = 256 << 20

    package init() {}
}

/// The number of stored HTTP answers, and the bytes that they take.
package struct HTTPTotals: Hashable, Sendable {
    package var answerCount: Int64 = 0
    package var byteCount: Int64 = 0

    package init() {}

    package init(answerCount: Int64, byteCount: Int64) {
        self.answerCount = answerCount
        self.byteCount = byteCount
    }
}
