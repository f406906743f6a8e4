/// The origin of a write: the event's library, its sequence, and the generation of the log in which the sequence
/// counts.
package struct ReferenceStamp: Equatable, Sendable {
    package let library: [UInt8]
    package let sequence: Int64?
    package let generation: Int

    package init(library: [UInt8], sequence: Int64?, generation: Int) {
        self.library = library
        self.sequence = sequence
        self.generation = generation
    }
}
