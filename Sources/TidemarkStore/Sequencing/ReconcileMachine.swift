import TidemarkModel

/// One library's conversation with its upstream: single flight, bounded retries, late answers ignored.
///
/// A pure value. The engine performs the actions; randomness is an argument.
///
/// - Source: Protocol/sequencing.md, reconciling.
package struct ReconcileMachine {
    private enum State {
        case idle
        /// The upstream was asked.
        case asking
        /// A failed attempt waits for its turn again.
        case waiting
    }

    /// What the engine does next.
    package enum Action: Equatable {
        /// Ask for everything behind the cursor; bring the answer with this attempt's number.
        case ask(attempt: UInt64)
        /// Come back with this attempt's number after a while.
        case wait(attempt: UInt64, milliseconds: Int64)
        /// The upstream does not have it: what is missing is lost.
        case giveUp
        /// Nothing is missing any more.
        case settled
        /// The answer or the timer belongs to an attempt that is over.
        case ignore
    }

    /// Why the upstream is asked.
    private enum Purpose {
        /// Something is missing ahead of the cursor.
        case gap
        /// Something behind the cursor was lost.
        case healing
    }

    private var state = State.idle
    private var purpose = Purpose.gap
    /// Grows with every question; an answer with another number is stale.
    package private(set) var attempt: UInt64 = 0
    private var failureCount = 0
    /// When the current question was asked, in milliseconds since 1970: gaps that opened later are not its business.
    package private(set) var askedAt: Int64 = 0

    /// Attempts without progress before what is missing is lost: 5.
    package static let failureCountMax = 5
    /// Base of the delay before attempt n + 1: 250 ms · 2^n, of which a random part is waited.
    package static let delayBase: Int64 = 250
    /// No delay is longer: 30 s.
    package static let delayMax: Int64 = 30_000

    package init() {}

    /// Goes on counting where another one stopped.
    ///
    /// - Precondition: Nothing is under way.
    package mutating func goOn(from attempt: UInt64) {
        // No input reaches it: a replay calls this once, when its cache was opened and no step was done, and its upstream is asked
        // by recorded steps alone.
        precondition(state == .idle, "attempt \(self.attempt) is under way")
        self.attempt = attempt
    }

    package var isActive: Bool { state != .idle }

    /// Whether the question under way is for what was lost.
    package var isHealing: Bool { isActive && purpose == .healing }

    /// Whether this attempt's answer is still wanted.
    package func isAsking(_ attempt: UInt64) -> Bool { state == .asking && attempt == self.attempt }

    /// - Precondition: Nothing is under way.
    package mutating func start(at now: Int64) -> Action {
        // No input reaches it: gaps are due only in a library whose machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        failureCount = 0
        purpose = .gap
        return ask(at: now)
    }

    /// Asks for what was lost. An answer or a failure ends the question; when to ask again is not decided here.
    ///
    /// - Precondition: Nothing is under way.
    package mutating func startHealing(at now: Int64) -> Action {
        // No input reaches it: who heals asks first whether the library may, which it may only while its machine is idle.
        precondition(state == .idle, "a library has one question at a time")
        purpose = .healing
        return ask(at: now)
    }

    /// The answer to a question for what was lost is here, or will not come.
    package mutating func healed(attempt: UInt64) -> Action {
        guard isHealing, isAsking(attempt) else { return .ignore }
        return stop(.settled)
    }

    /// The upstream answered and its events were applied.
    ///
    /// - Parameter hasProgress: The cursor moved.
    /// - Parameter isMissing: Something is still missing.
    /// - Parameter random: 0 ..< 1, for the delay.
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

    /// The upstream could not be asked, or its answer could not be read.
    ///
    /// - Parameter isFinal: Asking again is of no use.
    package mutating func failed(attempt: UInt64, isFinal: Bool, random: Double) -> Action {
        guard state == .asking, attempt == self.attempt else { return .ignore }
        return isFinal ? stop(.giveUp) : retry(random: random)
    }

    /// The answer, or the failure, cannot be followed now: the same question is asked again after a while, and nothing is
    /// counted against the upstream.
    package mutating func postponed(attempt: UInt64) -> Action {
        guard isAsking(attempt) else { return .ignore }
        state = .waiting
        return .wait(attempt: attempt, milliseconds: ReconcileMachine.postponeDelay)
    }

    /// 1 s.
    package static let postponeDelay: Int64 = 1_000

    /// The delay of ``Action/wait(attempt:milliseconds:)`` is over.
    package mutating func resumed(attempt: UInt64, isMissing: Bool, at now: Int64) -> Action {
        guard state == .waiting, attempt == self.attempt else { return .ignore }
        // What was postponed for lost numbers is asked again, whatever is missing by now.
        if purpose == .healing { return ask(at: now) }
        return isMissing ? ask(at: now) : stop(.settled)
    }

    /// The log began anew, or what was missing arrived by itself: answers to come are stale.
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
