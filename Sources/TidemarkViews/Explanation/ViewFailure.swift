import TidemarkModel

/// Why an entity is in no row of a result: the first condition that failed, for the row that came furthest.
package struct ViewFailure: Hashable, Sendable {
    /// The JSON Pointer to the innermost predicate or condition in the rule; `/limit` for a row outside the window.
    package var at: String
    /// The condition as JSON; nil for a source or a window.
    package var condition: [UInt8]?
    /// The value that failed, as JSON; nil if there is none.
    package var value: [UInt8]?
    /// The entity whose value failed; nil for a group.
    package var entity: ViewKey?
    /// True if the cache does not show the entity at all.
    package var isMiss = false

    /// Creates a failure.
    package init(at: String, condition: [UInt8]?, value: [UInt8]?, entity: ViewKey?, isMiss: Bool = false) {
        self.at = at
        self.condition = condition
        self.value = value
        self.entity = entity
        self.isMiss = isMiss
    }
}

/// Where an entity is in a result, or why it is in none of its rows.
package enum ViewEntityExplanation: Hashable, Sendable {
    case rows([ViewRowKey])
    case failed(ViewFailure)
}

/// One line of the plan of a view.
package struct ViewPlanLine: Hashable, Sendable {
    /// What the line does: `from`, `inner`, `left`, `exists`, `absent`, `where`, `group`, `include`, `order`.
    package var operation: String
    /// The alias of the source, or the name of the include.
    package var source: String?
    /// The value by which matches are found in the source.
    package var index: String?
    /// The entities of the source, or the rows that there are.
    package var rows: Int
    /// An estimate of the bytes that the line holds.
    package var bytes: Int
}
