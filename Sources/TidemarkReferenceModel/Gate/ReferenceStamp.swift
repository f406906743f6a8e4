/// The origin of a write: the library and sequence of its event, and the generation of the log in which the sequence
/// counts.
package struct ReferenceStamp: Equatable, Sendable {
    /// The library of the event.
    package let library: [UInt8]
    /// The sequence; nil if the event has none.
    package let sequence: Int64?
    /// The generation of the log in which ``sequence`` counts.
    package let generation: Int

    /// Creates a stamp.
    package init(library: [UInt8], sequence: Int64?, generation: Int) {
        self.library = library
        self.sequence = sequence
        self.generation = generation
    }
}
