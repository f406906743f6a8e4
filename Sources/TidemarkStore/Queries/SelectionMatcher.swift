import TidemarkModel

/// A selection of queries, prepared to be compared with many of them.
///
/// - Source: Protocol/queries.md, staleness.
struct SelectionMatcher {
    private let selection: CacheState.Selection
    /// The selected type: nil if none is selected; `.some(nil)` for a type that no entity has had.
    private let type: TypeIndex??
    private let tags: TagSelection?
    private let hints: Hints?

    init(_ selection: CacheState.Selection, _ types: ResourceTypes) {
        self.selection = selection
        type = selection.resourceType.map { types.index(of: $0) }
        tags = selection.tags.map { tags in tags.withUnsafeBytes { TagSelection($0) } }
        hints = selection.hints.map { hints in hints.withUnsafeBytes { Hints($0) } }
    }

    /// Returns true if a query with a stored answer is selected. Its library is not compared.
    func concerns(_ entry: QueryEntry) -> Bool {
        if let type, type != entry.type { return false }
        return matches(entry.key) && tags?.matches(entry.tags) ?? true
            && hints?.concern(input: entry.key.input, tags: entry.tags) ?? true
    }

    /// Returns true if a query whose response is still on its way may be selected. Only its key is known.
    func mayConcern(_ key: QueryKey) -> Bool {
        matches(key) && hints?.concern(input: key.input, tags: []) ?? true
    }

    private func matches(_ key: QueryKey) -> Bool {
        selection.method ?? key.method == key.method && selection.input ?? key.input == key.input
    }
}
