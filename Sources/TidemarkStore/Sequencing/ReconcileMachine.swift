import TidemarkModel

/// Decides when one library's upstream is asked: one request at a time, with bounded retries. Late responses are
/// ignored.
///
/// A pure value: the engine performs the actions, and randomness is an argument.
///
/// - Source: Protocol/sequencing.md, reconciling.
package struct ReconcileMachine {
    private enum State {
        case idle
        /// A request is under way.
        case asking
        /// An attempt failed; the next one waits for its delay.
        case waiting
    }

    /// What the engine has to do next.
    package enum Action: Equatable {
        /// Ask for everything after the cursor, and pass on the response with this attempt's number.
        case ask(attempt: UInt64)
        /// Call ``resumed(attempt:isMissing:at:)`` with this attempt's number after the delay.
        case wait(attempt: UInt64, milliseconds: Int64)
        /// Declare the missing events lost: the upstream does not have them.
        case giveUp
        /// Nothing: no event is missing any more.
        case settled
        /// Nothing: the response or timer belongs to an attempt that has ended.
        case ignore
    }

    /// Why the upstream is asked.
    private enum Purpose {
        /// Sequences ahead of the cursor are missing.
        case gap
        /// Sequences at or below the cursor were lost.
        case healing
    }

    private var state = State.idle
    private var purpose = Purpose.gap
    /// The number of the last attempt; grows with every request. A response with another number is outdated.
    package private(set) var attempt: UInt64 = 0
    private var failureCount = 0
    /// When the current request began, in milliseconds since 1970. Gaps that opened later are not part of it.
    package private(set) var askedAt: Int64 = 0

    /// After how many attempts without progress the missing events are declared lost: 5.
    package static let failureCountMax = 5
    /// The longest pause after the first failed attempt, in milliseconds: 250. It doubles with each further one.
    package static let delayBase: Int64 = 250
    /// The longest pause between attempts, in milliseconds: 30,000.
    package static let delayMax: Int64 = 30_000

    /// Creates an idle machine.
    package init() {}

    /// Continues the attempt numbers of an earlier machine.
    ///
    /// - Precondition: No request is under way.
    package mutating func resume(fromAttempt attempt: UInt64) {
        // No input reaches it: a replay calls this once, after its cache was opened and before any step, and only
        // recorded steps ask its upstream.
        precondition(state == .idle, "attempt \(self.attempt) is under way")
        self.attempt = attempt
    }

    /// True if a request is under way, or waits to be repeated.
    package var isActive: Bool { state != .idle }

    /// True if the request under way is for lost sequences.
    package var isHealing: Bool { isActive && purpose == .healing }

    /// Returns true if a response to this attempt is still wanted.
    package func isAsking(_ attempt: UInt64) -> Bool { state == .asking && attempt == self.attempt }

    /// Begins a request for missing sequences.
    ///
    /// - Precondition: No request is under way.
    package mutating func start(at now: Int64) -> Action {
        // No input reaches it: gaps are due only in a library whose machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        failureCount = 0
        purpose = .gap
        return ask(at: now)
    }

    /// Begins a request for lost sequences. A response or a failure ends it; the caller decides when to repeat it.
    ///
    /// - Precondition: No request is under way.
    package mutating func startHealing(at now: Int64) -> Action {
        // No input reaches it: a caller asks the library first, which permits healing only while its machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        purpose = .healing
        return ask(at: now)
    }

    /// Ends a request for lost sequences, after its response was applied or it failed.
    package mutating func healed(attempt: UInt64) -> Action {
        guard isHealing, isAsking(attempt) else { return .ignore }
        return stop(.settled)
    }

    /// Decides the next action after a response was applied.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that the response belongs to.
    ///   - hasProgress: True if the response moved the cursor.
    ///   - isMissing: True if sequences are still missing.
    ///   - random: A number in 0 ..< 1 that determines the pause.
    ///   - now: The time, in milliseconds since 1970.
    package mutating func answered(
        attempt: UInt64, hasProgress: Bool, isMissing: Bool, random: Double, at now: Int64
    ) -> Action {
        guard state == .asking, attempt == self.attempt else { return .ignore }
        guard isMissing else { return stop(.settled) }
        if hasProgress {
            failureCount = 0
            return ask(at: now)
        }
        return retry(random: random)
    }

    /// Decides the next action after the upstream failed, or its response could not be read.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed.
    ///   - isFinal: True if another attempt is useless.
    ///   - random: A number in 0 ..< 1 that determines the pause.
    package mutating func failed(attempt: UInt64, isFinal: Bool, random: Double) -> Action {
        guard state == .asking, attempt == self.attempt else { return .ignore }
        return isFinal ? stop(.giveUp) : retry(random: random)
    }

    /// Postpones a response or a failure that cannot be handled now. The request is repeated after ``postponeDelay``,
    /// and does not count as a failure of the upstream.
    package mutating func postponed(attempt: UInt64) -> Action {
        guard isAsking(attempt) else { return .ignore }
        state = .waiting
        return .wait(attempt: attempt, milliseconds: ReconcileMachine.postponeDelay)
    }

    /// How long a postponed request waits, in milliseconds: 1,000.
    package static let postponeDelay: Int64 = 1_000

    /// Continues after the pause of ``Action/wait(attempt:milliseconds:)``.
    package mutating func resumed(attempt: UInt64, isMissing: Bool, at now: Int64) -> Action {
        guard state == .waiting, attempt == self.attempt else { return .ignore }
        // A postponed request for lost sequences is repeated whatever is missing now.
        if purpose == .healing { return ask(at: now) }
        return isMissing ? ask(at: now) : stop(.settled)
    }

    /// Cancels the request, because the log was replaced or the missing events arrived without a response. Later
    /// responses to it are ignored.
    package mutating func cancel() {
        state = .idle
        attempt += 1
    }

    private mutating func ask(at now: Int64) -> Action {
        state = .asking
        attempt += 1
        askedAt = now
        return .ask(attempt: attempt)
    }

    private mutating func retry(random: Double) -> Action {
        let delay = min(ReconcileMachine.delayBase << failureCount, ReconcileMachine.delayMax)
        failureCount += 1
        if failureCount >= ReconcileMachine.failureCountMax { return stop(.giveUp) }
        state = .waiting
        return .wait(attempt: attempt, milliseconds: Int64(Double(delay) * random))
    }

    private mutating func stop(_ action: Action) -> Action {
        state = .idle
        return action
    }
}
