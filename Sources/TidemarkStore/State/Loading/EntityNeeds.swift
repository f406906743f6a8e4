import TidemarkModel

/// The entities that a batch touches and that only the journal may have. No key is in both sets.
package struct EntityNeeds: Sendable {
    /// The keys of entities that must be read before the batch is applied.
    package var loaded: Set<StoredKey> = []
    /// The keys of entities that the batch replaces or deletes whatever they are, so that their rows are enough.
    package var replaced: Set<StoredKey> = []

    /// Creates empty needs.
    package init() {}
}
