/// What the cache knows under one key.
package struct ReferenceEntity: Equatable, Sendable {
    package var json: ReferenceJSON
    /// The sequence of the event that wrote it last; nil when that event had none.
    package var sequence: Int64?
    /// In which generation of the library's log ``sequence`` counts.
    package var generation: Int

    package init(json: ReferenceJSON, sequence: Int64?, generation: Int) {
        self.json = json
        self.sequence = sequence
        self.generation = generation
    }
}
