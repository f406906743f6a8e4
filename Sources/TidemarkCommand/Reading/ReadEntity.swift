import TidemarkModel

/// One entity as a reader sees it.
struct ReadEntity {
    var key: EntityKey
    /// As it is stored, byte for byte.
    var resource: [UInt8]
    /// Of the last event that wrote it; nil when that had none.
    var sequence: EventSequence?
}
