import TidemarkStore

/// A change to the stored HTTP responses. The changes of one list are made in order, in one transaction.
package enum HTTPChange: AttachedChange, Hashable {
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
