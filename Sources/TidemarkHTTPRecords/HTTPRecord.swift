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
