import TidemarkModel

/// The progress of a pending edit's request.
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct OutboxStatus: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// The request waits for its turn, for an edit on which it depends, or for the end of a pause.
        case queued
        case sending
        /// An attempt brought no answer; the next one is begun at ``OutboxStatus/nextAttemptAt``.
        case waiting
        /// The request failed for good. The edit stays until it is sent again or rolled back.
        case failed
        /// The request failed for good, and the edit was rolled back, because it was made so or depended on one that
        /// was. Only the observer gets this status: the edit is in no list any more.
        case discarded
    }

    public var pendingID: ByteString
    public var library: ByteString
    public var state: State
    /// The number of attempts that were begun; 0 while nothing was sent.
    public var attempt: Int
    /// The time of the next attempt, in milliseconds since 1970; nil unless the state is `waiting`.
    public var nextAttemptAt: Int64?
    /// The reason why the last attempt failed; nil when none did.
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
