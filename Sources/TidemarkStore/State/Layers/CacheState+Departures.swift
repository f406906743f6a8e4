import TidemarkModel

/// What becomes of pending edits about an entity that is no longer visible to this reader.
///
/// - Source: Protocol/events.md, deletes with a reason.
extension CacheState {
    /// Marks the requests of pending edits about an entity as failed. The edits stay until they are retried or rolled
    /// back.
    ///
    /// A request that is under way is left alone: its answer decides.
    mutating func failRequests(about key: StoredKey) {
        guard isLayered(key) else { return }
        let failure = MutationFailure(code: "scope", message: "the entity is no longer in the scope")
        let concerned = layers.layers.values.filter { layer in
            guard let sending = layer.sending, sending.failure == nil, !sending.isUnderWay else { return false }
            return layer.library == key.library && layer.changes.contains { $0.key == key }
        }
        guard !concerned.isEmpty else { return }
        isUnwritten = true
        for layer in concerned { layers.changeSending(layer.number) { $0.failure = failure } }
    }
}
