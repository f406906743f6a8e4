import TidemarkModel
import TidemarkViews

/// Which entities were in a scope and left it, and from when to when.
///
/// A client is told of a departure only if the entity was in the scope at the client's own position: of what came and
/// left while it was away it learns nothing.
struct PresenceHistory: Sendable {
    /// A time in the scope that has ended.
    struct Stay: Hashable, Sendable {
        let entered: ScopePosition
        let left: ScopePosition
        let reason: DepartureReason
        /// When it left, in seconds.
        let second: Int64
    }

    private struct Entity: Sendable {
        /// In the order of time.
        var stays: [Stay] = []
        var isBack = false
    }

    private struct Departure: Sendable {
        let position: ScopePosition
        let key: ViewKey
        let second: Int64
    }

    private let limits: ScopeLimits
    private var entities: [ViewKey: Entity] = [:]
    /// The departures in the order of time, from `first` on.
    private var order: [Departure] = []
    private var first = 0
    /// The last position of a departure that is forgotten: a client before it cannot be served.
    private(set) var horizon: ScopePosition

    init(from start: ScopePosition, _ limits: ScopeLimits) {
        horizon = start
        self.limits = limits
    }

    /// The departures that are kept.
    var count: Int { order.count - first }

    /// Notes that an entity is in the scope again, if it ever left.
    mutating func enter(_ key: ViewKey) { entities[key]?.isBack = true }

    /// Notes a departure.
    mutating func leave(_ key: ViewKey, _ stay: Stay) {
        entities[key, default: Entity()].isBack = false
        entities[key, default: Entity()].stays.append(stay)
        order.append(Departure(position: stay.left, key: key, second: stay.second))
    }

    /// Forgets the departures that are older than the history, but for those that are few beside the scope.
    ///
    /// - Parameter memberCount: The entities in the scope.
    mutating func forget(now: Int64, memberCount: Int) {
        let keptCount = memberCount * limits.historyPercent / 100
        while count > 0 {
            let oldest = order[first]
            let isOld = now - oldest.second > limits.historySecondCount && count > keptCount
            guard isOld || count > limits.departureCountMax else { break }
            first += 1
            horizon = max(horizon, oldest.position)
            entities[oldest.key]?.stays.removeFirst()
            if entities[oldest.key]?.stays.isEmpty == true { entities[oldest.key] = nil }
        }
        if first > 1_000, first * 2 > order.count {
            order.removeFirst(first)
            first = 0
        }
    }

    /// Returns the entities that were in the scope at a position and are not any more, in the order of their departure,
    /// each once with the reason of its last one.
    ///
    /// - Complexity: O(departures since).
    func departures(since position: ScopePosition) -> [(key: ViewKey, reason: DepartureReason)] {
        var found: [(key: ViewKey, reason: DepartureReason)] = []
        for departure in order[firstIndex(after: position)...] {
            guard let entity = entities[departure.key], !entity.isBack, let last = entity.stays.last,
                last.left == departure.position,
                entity.stays.contains(where: { $0.entered <= position && position < $0.left })
            else { continue }
            found.append((departure.key, last.reason))
        }
        return found
    }

    private func firstIndex(after position: ScopePosition) -> Int {
        var (low, high) = (first, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].position > position { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Storing

    /// The stays that ended after a position, in the order of time.
    func stays(after position: ScopePosition?) -> [(key: ViewKey, stay: Stay)] {
        let start = position.map { firstIndex(after: $0) } ?? first
        return order[start...].compactMap { departure in
            entities[departure.key]?.stays.first { $0.left == departure.position }.map { (departure.key, $0) }
        }
    }

    /// Serves nobody from before a position any more.
    mutating func raiseHorizon(to position: ScopePosition) { horizon = max(horizon, position) }
}
