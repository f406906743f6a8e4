/// Which event writes: its library, its sequence, and the generation of the log that it counts in.
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
