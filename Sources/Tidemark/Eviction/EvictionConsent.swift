/// Whether the program's delegate agreed to the evictions of one tier.
///
///     none ──request──► asked ──answered──► owed ──takeOwed, request──► approved ──complete──► none
///                                      └──► refused ──committed──► none
///
/// An answer may arrive at any moment, also while the eviction that it allows cannot begin yet, for example during the
/// flush that caused the question. Therefore an approval stays `owed` until an eviction begins, and the end of what the
/// eviction waited for begins it. A refusal holds until the next commit, so that a delegate is not asked again while
/// nothing changes.
///
/// - Source: Protocol/limits.md, asking first.
struct EvictionConsent {
    /// What a caller that wants to evict does next.
    enum Decision {
        case evict
        /// Call the delegate, and pass its answer to ``EvictionConsent/answered(_:)``.
        case ask
        /// Do nothing: the delegate has not answered yet, or has refused.
        case skip
    }

    private enum Stage {
        case none
        case asked
        /// The delegate approved, and no eviction has begun since.
        case owed
        /// An approved eviction has begun and is not complete.
        case approved
        case refused
    }

    private var stage = Stage.none

    /// True if the delegate refused and nothing was committed since.
    var isRefused: Bool { stage == .refused }

    /// True if the delegate approved an eviction that is not complete.
    var isApproved: Bool {
        switch stage {
        case .owed, .approved: true
        case .none, .asked, .refused: false
        }
    }

    /// Decides what a caller that wants to evict does next.
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

    /// Marks an owed eviction as begun; the caller must begin it.
    ///
    /// - Returns: True if an approved eviction had not begun yet. True once for each approval, so that an eviction that
    ///   fails is not begun over and over: the next commit continues it.
    mutating func takeOwed() -> Bool {
        guard stage == .owed else { return false }
        stage = .approved
        return true
    }

    /// Ends an approved eviction, or one that is no longer needed. The next one needs a new approval.
    mutating func complete() {
        switch stage {
        case .owed, .approved: stage = .none
        case .none, .asked, .refused: break
        }
    }

    /// Ends a refusal, because something was committed.
    mutating func committed() {
        if stage == .refused { stage = .none }
    }
}
