import TidemarkModel

/// The rows that the end of a library's state may remove.
package struct Sweep: Equatable, Sendable {
    package let library: LibraryIndex
    /// The generation that the state wrote, whose rows stay; nil if the state begins among the same events.
    let generation: UInt32?

    /// Returns true if the row is not one that the state wrote.
    package func concerns(_ row: SweptRow) -> Bool { row.generation != generation }
}
