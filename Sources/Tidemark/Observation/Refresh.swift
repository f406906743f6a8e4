import TidemarkModel

/// The state of one observer that asked to be refreshed: the staleness to notify, and the moment of its next check.
///
/// - Source: Protocol/sessions.md, refreshing.
struct Refresh {
    /// The least time between two checks of one observer, in milliseconds: 1,000. Data that is never fresh causes no
    /// more checks than this.
    static let pauseMin: Int64 = 1_000
    /// The largest pause between checks, in milliseconds: five minutes. The pause doubles up to this while checks
    /// change nothing.
    static let pauseMax: Int64 = 300_000

    let ages: OperationAges
    /// The moment of the next check, in milliseconds since 1970; nil: at the next change.
    var moment: Int64?
    /// The moment of the last check, in milliseconds since 1970; nil before the first.
    var lookedAt: Int64?
    /// The pause between the last check and the next, in milliseconds, while the observed data stays too old; 0 while
    /// it is fresh.
    var pause: Int64 = 0
    /// Whether some observed data is too old, and no upstream could be asked.
    var isTooOld = false
    /// Whether a fetch for the observer is under way.
    var isFetching = false

    init(ages: OperationAges) {
        self.ages = ages
    }

    /// Returns the moment of the check for data that becomes too old at `expiry`, not too close to the last check.
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
