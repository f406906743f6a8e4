import TidemarkModel

/// What one observer that asked to be refreshed has to be told, and when it is looked at next.
///
/// - Source: Protocol/sessions.md, refreshing.
struct Refresh {
    /// Looks at one observer are this far apart, in milliseconds: 1,000. What never is fresh costs no more than this.
    static let pauseMin: Int64 = 1_000
    /// Where looks change nothing, the pause between them doubles up to this: five minutes.
    static let pauseMax: Int64 = 300_000

    let ages: OperationAges
    /// When it is looked at next; nil: when something changes.
    var moment: Int64?
    /// The last look.
    var lookedAt: Int64?
    /// Between the last look and the next, while what is seen stays too old; 0 while it is fresh.
    var pause: Int64 = 0
    /// Something seen is too old, and nobody could be asked.
    var isTooOld = false
    /// A fetch is under way for it.
    var isFetching = false

    init(ages: OperationAges) {
        self.ages = ages
    }

    /// The moment of a look at what becomes too old at `expiry`, not too close to the last one.
    func look(for expiry: Int64) -> Int64 {
        max(expiry, lookedAt.map { $0 + Refresh.pauseMin } ?? expiry)
    }

    /// A look changed nothing.
    ///
    /// - Returns: How long until the next one.
    mutating func backOff() -> Int64 {
        pause = min(max(2 * pause, Refresh.pauseMin), Refresh.pauseMax)
        return pause
    }
}
