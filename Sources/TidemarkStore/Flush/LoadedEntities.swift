/// The entities that a journal loaded for some keys.
public struct LoadedEntities: Sendable {
    /// The stored entities that passed their checks.
    public var entities: [StoredEntity]
    /// The rows that failed their checks: never served, and to be removed.
    public var damaged: [StoredRow]

    public init(entities: [StoredEntity] = [], damaged: [StoredRow] = []) {
        self.entities = entities
        self.damaged = damaged
    }
}

/// A row of a journal and the key it is stored under.
public struct StoredRow: Hashable, Sendable {
    public var key: StoredKey
    public var row: Int64

    public init(key: StoredKey, row: Int64) {
        self.key = key
        self.row = row
    }
}
