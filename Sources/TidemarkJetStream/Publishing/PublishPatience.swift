/// The time for which publishing outlives servers that store nothing.
///
/// It begins with the first failure after a success, not with the last success: a publisher that had nothing to send
/// for an hour has as much patience as a busy one.
///
/// A pure value: it knows no clock.
struct PublishPatience {
    /// The reason why a message is not stored yet.
    enum Trouble {
        /// No server, no leader, or no answer: each may come by itself.
        case silence
        /// A server says that the stream does not exist. During an election it may say so by mistake.
        case noStream
    }

    /// The next step of the publisher.
    enum Step {
        case tryAgain
        case giveUp
    }

    /// The time for which a stream may be called missing, by every answer: 2 s.
    static let noStreamMax = Duration.seconds(2)

    private let silenceMax: Duration
    /// The time of the first failure; nil while messages are stored.
    private var since: ContinuousClock.Instant?
    /// The time since which every failure says that the stream does not exist; nil when the last one did not.
    private var missingSince: ContinuousClock.Instant?

    /// - Parameter silenceMax: The time without a stored message after which to give up.
    init(_ silenceMax: Duration) { self.silenceMax = silenceMax }

    /// Notes that a server stored a message, or refused it because of its order.
    mutating func succeeded() { (since, missingSince) = (nil, nil) }

    /// Notes a failure.
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
