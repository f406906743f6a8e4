import TidemarkModel

/// The progress of a pending edit's request.
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct OutboxStatus: Hashable, Sendable {
    /// Where a request is on its way to the server.
    public enum State: String, Sendable, CaseIterable {
        /// The request waits for its turn, for an edit that it depends on, or for the end of a pause.
        case queued
        /// An attempt is under way.
        case sending
        /// An attempt failed. The next one begins at ``OutboxStatus/nextAttemptAt``.
        case waiting
        /// The request failed for good. The edit stays until it is sent again or rolled back.
        case failed
        /// The request failed for good, and the edit was rolled back: its request says so, or it depended on such an
        /// edit. Only the observer sees this state, because the edit is in no list any more.
        case discarded
    }

    /// The id of the edit.
    public var pendingID: ByteString
    /// The library of the edit.
    public var library: ByteString
    /// Where the request is.
    public var state: State
    /// The number of attempts that were begun; 0 while nothing was sent.
    public var attempt: Int
    /// When the next attempt begins, in milliseconds since 1970; nil unless the state is ``State/waiting``.
    public var nextAttemptAt: Int64?
    /// Why the last attempt failed; nil when none did.
    public var failure: MutationFailure?

    package init(
        pendingID: ByteString, library: ByteString, state: State, attempt: Int, nextAttemptAt: Int64? = nil,
        failure: MutationFailure? = nil
    ) {
        self.pendingID = pendingID
        self.library = library
        self.state = state
        self.attempt = attempt
        self.nextAttemptAt = nextAttemptAt
        self.failure = failure
    }
}
