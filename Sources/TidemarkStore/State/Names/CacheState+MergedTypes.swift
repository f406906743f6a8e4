import TidemarkModel

/// Types whose events are merged.
extension CacheState {
    /// Returns how an event is merged; nil if it replaces the entity.
    ///
    /// - Parameter type: The type of the event's resources.
    /// - Source: Protocol/events.md, merging; Protocol/graphql.md, what is stored.
    func mergeRules(of view: EventView, type: TypeIndex) -> MergeRules? {
        if let metadata = view.text(view.event.detail) { return MergeRules(metadata: metadata) }
        return types.rules.merged.contains(type) ? MergeRules() : nil
    }
}
