/// The entities that a journal loaded for some keys.
package struct LoadedEntities: Sendable {
    /// The stored entities that passed their checks.
    package var entities: [StoredEntity]
    /// The rows that failed their checks: never served, and to be removed.
    package var damaged: [StoredRow]

    package init(entities: [StoredEntity] = [], damaged: [StoredRow] = []) {
        self.entities = entities
        self.damaged = damaged
    }
}

/// A row of a journal and the key it is stored under.
package struct StoredRow: Hashable, Sendable {
    package var key: StoredKey
    package var row: Int64

    package init(key: StoredKey, row: Int64) {
        self.key = key
        self.row = row
    }
}
