import TidemarkModel

/// Values that follow from a query's state.
extension QueryEntry {
    /// The most elements that readers see, from the start of the list.
    var shownCountMax: Int { membership?.limit ?? .max }

    /// Returns the most elements to keep. With a limit, twice as many or 32 more, so that others can replace removed
    /// ones.
    func elementCountMax(_ limits: Limits) -> Int {
        // A recording may name any limit, but every list needs room for one element.
        let countMax = max(1, limits.queryElementCountMax)
        guard !isLocal, let limit = membership?.limit else { return countMax }
        return min(QueryEntry.withReserve(limit), countMax)
    }

    /// How many of the first shown elements stay in memory while the list is observed; `.max` for all.
    ///
    /// A list that is evaluated over the store is complete, whatever its limit. Observers see its first elements, and
    /// as many again can replace these at once.
    var pinnedCountMax: Int {
        guard isLocal, let limit = membership?.limit else { return .max }
        return QueryEntry.withReserve(limit)
    }

    /// Returns a limit plus its reserve: as many elements again, at least ``slackCountMin``. A rule may name any limit
    /// up to 2^63-1.
    private static func withReserve(_ limit: Int) -> Int {
        let (count, isOver) = limit.addingReportingOverflow(max(limit, slackCountMin))
        return isOver ? .max : count
    }

    /// The smallest reserve: 32, because short lists change often.
    private static let slackCountMin = 32

    /// Returns when the list became too old or known to be wrong, in milliseconds since 1970; nil while it is fresh.
    func staleSince(at now: Int64) -> Int64? {
        guard isStored else { return 0 }
        guard let timeToLive, now.subtractingClamped(storedAt) >= timeToLive else { return staleSince }
        return min(staleSince ?? .max, storedAt.addingClamped(timeToLive))
    }

    /// Returns true if readers see the list as stale: also if an element is missing, or if layers hide more elements
    /// than are known to follow.
    func isStale(at now: Int64) -> Bool {
        staleSince(at: now) != nil || list.missingCount > 0
            || horizon != nil && !isLocal && (unbuilt?.count ?? list.shownCount) < shownCountMax
    }

    /// True if a layer changes an element that is shown, or hides one that would be shown.
    var isPending: Bool {
        layeredNodes.contains { list.index(of: $0, among: .shown) < shownCountMax }
    }
}
