/// The form in which a data file holds entities. An existing file keeps the form that it was created with.
package enum EntityLayout: Sendable, CaseIterable {
    /// A row for each entity: the tables `keys` and `entities`.
    case rows
    /// Blocks of up to 127 entities: the tables of docs/decisions/0020-past-memory.md.
    case blocks
}
