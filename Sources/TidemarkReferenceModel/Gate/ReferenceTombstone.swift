/// What remains of a deleted entity.
package struct ReferenceTombstone: Equatable, Sendable {
    /// The sequence of the delete; nil if it had none.
    package var sequence: Int64?
    /// The generation of the library's log in which ``sequence`` counts.
    package var generation: Int

    /// Creates a tombstone.
    package init(sequence: Int64?, generation: Int) {
        self.sequence = sequence
        self.generation = generation
    }
}
