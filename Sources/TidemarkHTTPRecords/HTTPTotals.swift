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
