import TidemarkModel

/// A stored HTTP response without its body: one row of the data file. Only `TidemarkHTTP` reads and writes the head.
package struct HTTPRecord: Hashable, Sendable {
    /// The number that the journal assigned; 0 for a new response.
    package var number: Int64 = 0
    /// The library that the response belongs to.
    package var library: ByteString
    /// The URL in its normalized form.
    package var url: ByteString
    /// The request's method and the caller's own key.
    package var key: ByteString
    /// True if the response is dropped when the process ends.
    package var isSession: Bool
    /// The encoded status and header fields; opaque here.
    package var head: [UInt8]
    /// The length of the body in bytes.
    package var byteCount: Int64
    /// How many bytes head and body take on disk.
    package var storedByteCount: Int64 = 0
    /// When the response arrived or was last confirmed, in milliseconds since 1970.
    package var answeredAt: Int64
    /// When the response was last used, in milliseconds since 1970.
    package var usedAt: Int64
    /// How often the stored response was used.
    package var hitCount: Int64 = 0
    /// The request that a new response belongs to; it is not stored. If the request was outdated in the meantime,
    /// nothing of the response is written.
    package var question: HTTPQuestion?

    /// True if nothing since the request outdates the response.
    package var mayBeStored: Bool { question?.mayStore ?? true }

    /// Creates a new record that the journal has not numbered yet.
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

/// Selects stored HTTP responses: those that match every given part. Without parts, all are selected.
package struct HTTPSelection: Hashable, Sendable {
    /// The library to match; nil for any.
    package var library: ByteString?
    /// The exact URL to match; nil for any.
    package var url: ByteString?
    /// The exact key to match; nil for any.
    package var key: ByteString?
    /// The beginning of the URL to match; nil for any.
    package var prefix: ByteString?
    /// True for responses that end with the process, false for the others; nil for both.
    package var isSession: Bool?

    /// Creates a selection from the parts to match.
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

/// A change to the stored HTTP responses. The changes of one list are made in order, in one transaction.
package enum HTTPChange: Hashable, Sendable {
    /// Stores a complete response and removes those that it replaces.
    case store(HTTPRecord, body: [UInt8], replacing: [Int64])
    /// Stores a response whose body chunks are already on disk. If the chunks are not those that the draft describes,
    /// because the file was replaced, nothing is stored and nothing removed.
    case storeDraft(HTTPRecord, HTTPBodyDraft, replacing: [Int64])
    /// Replaces the head of a response that the server confirmed; no effect if the response is gone. When it is the
    /// only change, it stays in memory until the next write: after a crash the response is older, and is revalidated
    /// again.
    case update(number: Int64, head: [UInt8], answeredAt: Int64)
    /// Removes responses; numbers that are gone are skipped.
    case remove([Int64])
    /// Removes all responses that a selection matches.
    case removeAll(HTTPSelection)
}

/// The limit on all stored HTTP responses together.
package struct HTTPLimits: Hashable, Sendable {
    /// The bytes on disk above which the least recently used responses are evicted, down to nine tenths: 256 MiB.
    package var byteCountMax: Int64 = 256 << 20

    /// Creates the default limit.
    package init() {}
}

/// How many HTTP responses are stored, and how many bytes they take.
package struct HTTPTotals: Hashable, Sendable {
    /// The number of stored responses.
    package var answerCount: Int64 = 0
    /// The bytes that they take on disk.
    package var byteCount: Int64 = 0

    /// Creates the totals of an empty journal.
    package init() {}

    /// Creates totals.
    package init(answerCount: Int64, byteCount: Int64) {
        self.answerCount = answerCount
        self.byteCount = byteCount
    }
}
