import TidemarkModel
import TidemarkStore

/// The moments when observed lists expire and when refreshed observers are checked, and the state of the latter.
///
/// Entries that are out of date stay in the queue until they are due, or until the queue has more than twice as many
/// entries as targets.
struct RefreshSchedule {
    /// A target that is checked when its moment has come.
    enum Target {
        /// An observed list, by its own expiry: all its observers are notified.
        case list(QueryID)
        /// An observer that asked to be refreshed.
        case observer(SubscriptionID)
    }

    private var queue = ExpiryQueue<Target>()
    /// The observers that asked to be refreshed. Bounded by `observerCountMax`.
    private var refreshes: [SubscriptionID: Refresh] = [:]

    /// Whether no observer asked to be refreshed.
    var isEmpty: Bool { refreshes.isEmpty }

    /// The earliest moment, in milliseconds since 1970; nil when there is none.
    var first: Int64? { queue.first }

    /// The refresh of an observer; nil for one that did not ask.
    subscript(subscription: SubscriptionID) -> Refresh? {
        get { refreshes[subscription] }
        set { refreshes[subscription] = newValue }
    }

    /// The number of extra entries that the queue may have before it is cleaned.
    private static let slackCount = 64

    /// Adds the check of a list.
    ///
    /// - Parameters:
    ///   - listCount: The number of observed lists.
    ///   - listMoment: Returns the moment when an observed list expires; nil when it does not, or is not observed.
    mutating func insertList(_ query: QueryID, at moment: Int64, listCount: Int, listMoment: (QueryID) -> Int64?) {
        insert(.list(query), at: moment, listCount, listMoment)
    }

    /// Adds the check of an observer; an earlier one is replaced.
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

    /// Removes the targets whose moment has come. Observers whose moment has changed since are left out; lists may be
    /// out of date.
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
