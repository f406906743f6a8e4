import TidemarkModel
import TidemarkStore

/// When observed lists expire and when observers with `refreshes` are checked, with the state of these observers.
///
/// Outdated entries stay in the queue until they are due, or until the queue has more than twice as many entries as
/// targets.
struct RefreshSchedule {
    /// What to check at a moment.
    enum Target {
        /// An observed list that expires; all its observers are notified.
        case list(QueryID)
        /// An observer with `refreshes`.
        case observer(SubscriptionID)
    }

    private var queue = ExpiryQueue<Target>()
    /// The state of observers with `refreshes`. Bounded by `observerCountMax`.
    private var refreshes: [SubscriptionID: Refresh] = [:]

    /// True if there is no observer with `refreshes`.
    var isEmpty: Bool { refreshes.isEmpty }

    /// The earliest moment, in milliseconds since 1970; nil when there is none.
    var first: Int64? { queue.first }

    /// The state of an observer with `refreshes`; nil for other observers.
    subscript(subscription: SubscriptionID) -> Refresh? {
        get { refreshes[subscription] }
        set { refreshes[subscription] = newValue }
    }

    /// How many extra entries the queue may have before outdated ones are removed.
    private static let slackCount = 64

    /// Adds the check of a list.
    ///
    /// - Parameters:
    ///   - listCount: The number of observed lists.
    ///   - listMoment: Returns when an observed list expires; nil when it does not expire or is not observed.
    mutating func insertList(_ query: QueryID, at moment: Int64, listCount: Int, listMoment: (QueryID) -> Int64?) {
        insert(.list(query), at: moment, listCount, listMoment)
    }

    /// Adds the check of an observer, replacing its previous one.
    mutating func insertObserver(
        _ subscription: SubscriptionID, at moment: Int64, listCount: Int, listMoment: (QueryID) -> Int64?
    ) {
        refreshes[subscription]?.moment = moment
        insert(.observer(subscription), at: moment, listCount, listMoment)
    }

    private mutating func insert(
        _ target: Target, at moment: Int64, _ listCount: Int, _ listMoment: (QueryID) -> Int64?
    ) {
        queue.insert(.init(moment: moment, target: target))
        guard queue.count > 2 * (listCount + refreshes.count) + RefreshSchedule.slackCount else { return }
        queue.keep { entry in
            switch entry.target {
            case .list(let query): listMoment(query) == entry.moment
            case .observer(let subscription): refreshes[subscription]?.moment == entry.moment
            }
        }
    }

    /// Removes and returns the targets whose moment has come. Observers whose moment has changed since are left out;
    /// lists may be outdated.
    mutating func takeDue(at now: Int64) -> (lists: [QueryID], observers: [SubscriptionID]) {
        var lists: [QueryID] = []
        var observers: [SubscriptionID] = []
        for entry in queue.takeDue(at: now) {
            switch entry.target {
            case .list(let query): lists.append(query)
            case .observer(let subscription):
                if refreshes[subscription]?.moment == entry.moment { observers.append(subscription) }
            }
        }
        return (lists, observers)
    }
}
