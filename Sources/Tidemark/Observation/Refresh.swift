import TidemarkModel

/// The state of an observer with `refreshes`: which staleness to notify, and when to check it next.
///
/// - Source: Protocol/sessions.md, refreshing.
struct Refresh {
    /// The shortest time between two checks of one observer, in milliseconds: 1,000. It bounds the checks of data that
    /// is never fresh.
    static let pauseMin: Int64 = 1_000
    /// The longest pause between checks, in milliseconds: five minutes. While checks change nothing, the pause doubles
    /// up to this.
    static let pauseMax: Int64 = 300_000

    let ages: OperationAges
    /// When to check next, in milliseconds since 1970; nil to check at the next change.
    var moment: Int64?
    /// When the last check was, in milliseconds since 1970; nil before the first.
    var lookedAt: Int64?
    /// The pause between the last check and the next, in milliseconds, while the observed data stays too old; 0 while
    /// it is fresh.
    var pause: Int64 = 0
    /// True if some observed data is too old and no upstream could be asked for it.
    var isTooOld = false
    /// True while a fetch for the observer is under way.
    var isFetching = false

    init(ages: OperationAges) {
        self.ages = ages
    }

    /// Returns when to check data that becomes too old at `expiry`, but not too soon after the last check.
    func look(for expiry: Int64) -> Int64 {
        max(expiry, lookedAt.map { $0 + Refresh.pauseMin } ?? expiry)
    }

    /// Doubles the pause after a check that changed nothing.
    ///
    /// - Returns: The time until the next check, in milliseconds.
    mutating func backOff() -> Int64 {
        pause = min(max(2 * pause, Refresh.pauseMin), Refresh.pauseMax)
        return pause
    }
}
