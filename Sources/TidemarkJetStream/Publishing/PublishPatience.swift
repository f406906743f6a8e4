/// Decides how long publishing retries while no server stores messages.
///
/// The time starts with the first failure after a success, not with the last success: a publisher that had nothing to
/// send for an hour retries as long as a busy one.
///
/// A pure value without a clock: the caller passes the current time.
struct PublishPatience {
    /// Why a message is not stored yet.
    enum Trouble {
        /// No server, no leader, or no response: each may pass by itself.
        case silence
        /// A server reports that the stream does not exist. During an election that may be wrong.
        case noStream
    }

    /// What the publisher does next.
    enum Step {
        /// Pause, then send again.
        case tryAgain
        /// End with an error.
        case giveUp
    }

    /// How long every response may report the stream as missing before publishing gives up: 2 s.
    static let noStreamMax = Duration.seconds(2)

    private let silenceMax: Duration
    /// The time of the first failure; nil while messages are stored.
    private var since: ContinuousClock.Instant?
    /// Since when every failure has reported a missing stream; nil when the last failure did not.
    private var missingSince: ContinuousClock.Instant?

    /// - Parameter silenceMax: How long to retry without a stored message.
    init(_ silenceMax: Duration) { self.silenceMax = silenceMax }

    /// Resets the time: a server stored a message, or refused it because of its order.
    mutating func succeeded() { (since, missingSince) = (nil, nil) }

    /// Records a failure, and returns whether to retry.
    mutating func failed(_ trouble: Trouble, at now: ContinuousClock.Instant) -> Step {
        let since = since ?? now
        self.since = since
        switch trouble {
        case .silence: missingSince = nil
        case .noStream: missingSince = missingSince ?? now
        }
        if let missingSince, now - missingSince >= PublishPatience.noStreamMax { return .giveUp }
        return now - since >= silenceMax ? .giveUp : .tryAgain
    }
}
