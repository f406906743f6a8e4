/// The consent of the program's delegate to the evictions of one tier.
///
///     none ──request──► asked ──answered──► owed ──takeOwed, request──► approved ──complete──► none
///                                      └──► refused ──committed──► none
///
/// An answer may come at any moment, also while the eviction that it allows has to wait, for example for the flush that
/// asked. So an approval is a debt: it is `owed` until an eviction begins, and whoever ends what the eviction waited
/// for begins it. A refusal holds until the next commit, so that a delegate is not asked again while nothing changes.
///
/// - Source: Protocol/limits.md, asking first.
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
        /// The delegate approved; no eviction has begun since.
        case owed
        /// An approved eviction has begun and is not complete.
        case approved
        case refused
    }

    private var stage = Stage.none

    /// Whether the delegate refused, and nothing was committed since.
    var isRefused: Bool { stage == .refused }

    /// Whether the delegate approved an eviction that is not complete.
    var isApproved: Bool {
        switch stage {
        case .owed, .approved: true
        case .none, .asked, .refused: false
        }
    }

    /// Decides how an eviction continues.
    ///
    /// - Parameter hasDelegate: Without a delegate every eviction is approved.
    mutating func request(hasDelegate: Bool) -> Decision {
        guard hasDelegate else { return .evict }
        switch stage {
        case .owed, .approved:
            stage = .approved
            return .evict
        case .asked, .refused: return .skip
        case .none:
            stage = .asked
            return .ask
        }
    }

    mutating func answered(_ isAllowed: Bool) {
        precondition(stage == .asked, "an answer in the stage \(stage), where nobody was asked")
        stage = isAllowed ? .owed : .refused
    }

    /// Takes the debt of an approval. The caller begins the eviction.
    ///
    /// - Returns: Whether an eviction was approved that has not begun. True once for each approval, so that an eviction
    ///   that fails is not begun again and again: the next commit continues it.
    mutating func takeOwed() -> Bool {
        guard stage == .owed else { return false }
        stage = .approved
        return true
    }

    /// Ends an approved eviction, or one that is not needed any more: the next one needs a new approval.
    mutating func complete() {
        switch stage {
        case .owed, .approved: stage = .none
        case .none, .asked, .refused: break
        }
    }

    /// Ends a refusal, after a commit.
    mutating func committed() {
        if stage == .refused { stage = .none }
    }
}
