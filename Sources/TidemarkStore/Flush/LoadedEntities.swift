/// What a journal found when it loaded entities.
///
/// ```swift
/// func load(_ keys: [StoredKey], from stored: [StoredKey: StoredEntity]) -> LoadedEntities {
///     LoadedEntities(entities: keys.compactMap { stored[$0] })
/// }
/// ```
public struct LoadedEntities: Sendable {
    /// The stored entities that passed their checks. A key without an entity has no element.
    public var entities: [StoredEntity]
    /// The rows that failed their checks. The cache never serves them, and removes them.
    public var damaged: [StoredRow]

    /// Creates the result of a load; without arguments nothing was found.
    public init(entities: [StoredEntity] = [], damaged: [StoredRow] = []) {
        self.entities = entities
        self.damaged = damaged
    }
}

extension LoadedEntities {
    /// The last id of a page in key order, of a stored or damaged entity.
    package var last: StoredID? {
        let last = [entities.last?.key.id, damaged.last?.key.id].compactMap { $0 }
        return last.max { $0.text < $1.text }
    }
}

/// A row number of a journal, and the key stored in that row.
public struct StoredRow: Hashable, Sendable {
    /// The key of the entity.
    public var key: StoredKey
    /// The row number, as in ``FlushRow/row``.
    public var row: Int64

    /// Creates the pair of a key and its row.
    public init(key: StoredKey, row: Int64) {
        self.key = key
        self.row = row
    }
}
