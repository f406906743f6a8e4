import TidemarkModel

/// Damage that a journal found after it returned its state: entities are lost, or have an older version again.
public struct OpeningLoss: Sendable, Hashable {
    /// By how much each library's entity count differs from its record; negative if entities are missing.
    public var entityCountChanges: [LibraryIndex: Int64]

    /// Creates the report of a loss.
    public init(entityCountChanges: [LibraryIndex: Int64] = [:]) { self.entityCountChanges = entityCountChanges }
}
