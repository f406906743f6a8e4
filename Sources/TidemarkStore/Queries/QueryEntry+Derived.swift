import TidemarkModel

/// The values that follow from a query's state.
extension QueryEntry {
    /// The number of first elements that readers see.
    var shownCountMax: Int { membership?.limit ?? .max }

    /// Returns the number of elements that are kept at most: with a limit twice as many, so that a removed one can be
    /// replaced.
    func elementCountMax(_ limits: Limits) -> Int {
        // A recording may name any limit, and a list has a last element.
        let countMax = max(1, limits.queryElementCountMax)
        guard !isLocal, let limit = membership?.limit else { return countMax }
        return min(QueryEntry.withReserve(limit), countMax)
    }

    /// The number of the first shown elements that stay in memory while the list is observed; `.max`: all of the list.
    ///
    /// A list that is evaluated over the store is whole, whatever its limit. Observers see its first elements, and as
    /// many again may take their places at once.
    var pinnedCountMax: Int {
        guard isLocal, let limit = membership?.limit else { return .max }
        return QueryEntry.withReserve(limit)
    }

    /// Adds the reserve to a limit: as many elements again, and at least ``slackCountMin``. A rule may name any limit
    /// up to 2^63-1.
    private static func withReserve(_ limit: Int) -> Int {
        let (count, isOver) = limit.addingReportingOverflow(max(limit, slackCountMin))
        return isOver ? .max : count
    }

    /// The number of kept elements beyond the limit, at least: 32, because the contents of lists with a small limit
    /// change often.
    private static let slackCountMin = 32

    /// Returns since when the list is too old or known to be wrong, in milliseconds since 1970; nil while it is fresh.
    func staleSince(at now: Int64) -> Int64? {
        guard isStored else { return 0 }
        guard let timeToLive, now.subtractingClamped(storedAt) >= timeToLive else { return staleSince }
        return min(staleSince ?? .max, storedAt.addingClamped(timeToLive))
    }

    /// Tells whether readers see the list as stale: also when an element is missing, or when layers hide more elements
    /// than are known to follow.
    func isStale(at now: Int64) -> Bool {
        staleSince(at: now) != nil || list.missingCount > 0
            || horizon != nil && !isLocal && (unbuilt?.count ?? list.shownCount) < shownCountMax
    }

    /// Whether a layer changes an element that is shown, or hides one that would be shown.
    var isPending: Bool {
        layeredNodes.contains { list.index(of: $0, among: .shown) < shownCountMax }
    }
}
