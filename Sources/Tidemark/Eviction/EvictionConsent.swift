/// The consent of the program's delegate to the evictions of one tier.
///
///     none ──request──► asked ──answered──► approved ──spent──► none
///                                      └──► refused ──committed──► none
///
/// A refusal holds until the next commit, so that a delegate is not asked again while nothing changes.
///
/// - Source: Protocol/limits.md.
struct EvictionConsent {
    /// The next step of a caller that wants to evict.
    enum Decision {
        case evict
        /// Ask the delegate, and give its answer to ``EvictionConsent/answered(_:)``.
        case ask
        /// The delegate is being asked, or has refused.
        case skip
    }

    private enum Stage {
        case none
        case asked
        case approved
        case refused
    }

    private var stage = Stage.none

    /// Whether the delegate refused, and nothing was committed since.
    var isRefused: Bool { stage == .refused }

    /// Whether the delegate approved an eviction that has not ended yet.
    var isApproved: Bool { stage == .approved }

    /// Decides how an eviction continues.
    ///
    /// - Parameter hasDelegate: Without a delegate every eviction is approved.
    mutating func request(hasDelegate: Bool) -> Decision {
        guard hasDelegate else { return .evict }
        switch stage {
        case .approved: return .evict
        case .asked, .refused: return .skip
        case .none:
            stage = .asked
            return .ask
        }
    }

    mutating func answered(_ isAllowed: Bool) { stage = isAllowed ? .approved : .refused }

    /// Ends an approved eviction: the next one needs a new approval.
    mutating func spent() {
        if stage == .approved { stage = .none }
    }

    /// Ends a refusal, after a commit.
    mutating func committed() {
        if stage == .refused { stage = .none }
    }
}
