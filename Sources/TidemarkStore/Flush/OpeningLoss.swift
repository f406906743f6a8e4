import TidemarkModel

/// Damage that a journal found after it gave its state: entities of any library are lost, or older ones are back.
public struct OpeningLoss: Sendable, Hashable {
    /// The number of entities that each library has more than its record said; negative for fewer.
    public var entityCountChanges: [LibraryIndex: Int64]

    public init(entityCountChanges: [LibraryIndex: Int64] = [:]) { self.entityCountChanges = entityCountChanges }
}
