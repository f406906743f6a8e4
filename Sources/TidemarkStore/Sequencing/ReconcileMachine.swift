import TidemarkModel

/// The requests of one library to its upstream: one at a time, with bounded retries; late answers are ignored.
///
/// A pure value. The engine performs the actions; randomness is an argument.
///
/// - Source: Protocol/sequencing.md, reconciling.
package struct ReconcileMachine {
    private enum State {
        case idle
        /// The upstream was asked.
        case asking
        /// A failed attempt waits until it is repeated.
        case waiting
    }

    /// The next action of the engine.
    package enum Action: Equatable {
        /// Ask for everything after the cursor; return the answer with this attempt's number.
        case ask(attempt: UInt64)
        /// Call back with this attempt's number after the given delay.
        case wait(attempt: UInt64, milliseconds: Int64)
        /// The upstream does not have the missing events: they are lost.
        case giveUp
        /// Nothing is missing any more.
        case settled
        /// The answer or the timer belongs to an ended attempt.
        case ignore
    }

    /// The reason why the upstream is asked.
    private enum Purpose {
        /// Something is missing ahead of the cursor.
        case gap
        /// Something at or below the cursor was lost.
        case healing
    }

    private var state = State.idle
    private var purpose = Purpose.gap
    /// The number of the last attempt; grows with every request. An answer with another number is stale.
    package private(set) var attempt: UInt64 = 0
    private var failureCount = 0
    /// The time of the current request, in milliseconds since 1970: gaps that opened later are not part of it.
    package private(set) var askedAt: Int64 = 0

    /// The number of attempts without progress until the missing events are declared lost: 5.
    package static let failureCountMax = 5
    /// The base of the delay before attempt n + 1: 250 ms · 2^n, of which a random part is waited.
    package static let delayBase: Int64 = 250
    /// The longest delay: 30 s.
    package static let delayMax: Int64 = 30_000

    package init() {}

    /// Continues the attempt numbers of another machine.
    ///
    /// - Precondition: No request is under way.
    package mutating func resume(fromAttempt attempt: UInt64) {
        // No input reaches it: a replay calls this once, after its cache was opened and before any step, and only
        // recorded steps ask its upstream.
        precondition(state == .idle, "attempt \(self.attempt) is under way")
        self.attempt = attempt
    }

    package var isActive: Bool { state != .idle }

    /// Whether the request under way is for lost numbers.
    package var isHealing: Bool { isActive && purpose == .healing }

    /// Whether this attempt's answer is still wanted.
    package func isAsking(_ attempt: UInt64) -> Bool { state == .asking && attempt == self.attempt }

    /// Begins a request for a gap.
    ///
    /// - Precondition: No request is under way.
    package mutating func start(at now: Int64) -> Action {
        // No input reaches it: gaps are due only in a library whose machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        failureCount = 0
        purpose = .gap
        return ask(at: now)
    }

    /// Begins a request for lost numbers. An answer or a failure ends it; when to repeat it is decided elsewhere.
    ///
    /// - Precondition: No request is under way.
    package mutating func startHealing(at now: Int64) -> Action {
        // No input reaches it: a caller asks the library first, which permits healing only while its machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        purpose = .healing
        return ask(at: now)
    }

    /// Ends a request for lost numbers, after its answer came or it failed.
    package mutating func healed(attempt: UInt64) -> Action {
        guard isHealing, isAsking(attempt) else { return .ignore }
        return stop(.settled)
    }

    /// Decides the next action after the upstream answered and its events were applied.
    ///
    /// - Parameter hasProgress: Whether the cursor moved.
    /// - Parameter isMissing: Whether something is still missing.
    /// - Parameter random: A number in 0 ..< 1, for the delay.
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

    /// Decides the next action after the upstream could not be asked, or its answer could not be read.
    ///
    /// - Parameter isFinal: Whether another attempt is useless.
    package mutating func failed(attempt: UInt64, isFinal: Bool, random: Double) -> Action {
        guard state == .asking, attempt == self.attempt else { return .ignore }
        return isFinal ? stop(.giveUp) : retry(random: random)
    }

    /// Postpones an answer, or a failure, that cannot be applied now: the same request is repeated after a delay, and
    /// does not count as a failure of the upstream.
    package mutating func postponed(attempt: UInt64) -> Action {
        guard isAsking(attempt) else { return .ignore }
        state = .waiting
        return .wait(attempt: attempt, milliseconds: ReconcileMachine.postponeDelay)
    }

    /// The delay of a postponed request, in milliseconds: 1 s.
    package static let postponeDelay: Int64 = 1_000

    /// Continues after the delay of ``Action/wait(attempt:milliseconds:)``.
    package mutating func resumed(attempt: UInt64, isMissing: Bool, at now: Int64) -> Action {
        guard state == .waiting, attempt == self.attempt else { return .ignore }
        // A postponed request for lost numbers is repeated, whatever is missing now.
        if purpose == .healing { return ask(at: now) }
        return isMissing ? ask(at: now) : stop(.settled)
    }

    /// Cancels the request, because the log began anew or the missing events arrived without an answer: later answers
    /// are stale.
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
