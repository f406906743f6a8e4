/// The content of an event, after every check. Types are already mapped through the aliases.
package enum ReferenceKind: Equatable, Sendable {
    /// A resource was written; with metadata it is merged.
    case changed(type: [UInt8], resource: ReferenceResource, metadata: ReferenceMetadata?)
    /// Several resources were written.
    case batch(type: [UInt8], members: [ReferenceBatchMember], metadata: ReferenceMetadata?)
    /// A resource was deleted.
    case deleted(type: [UInt8], id: [UInt8])
    /// A bulk operation changed resources of a type.
    case bulk(type: [UInt8])
    /// Everything may have changed.
    case refresh
    /// The end of the log, and whether its source is stale.
    case heartbeat(lastSequence: Int64, isStale: Bool)
    /// The log begins anew, and whether a state follows.
    case reset(epoch: [UInt8], beginsState: Bool)
    /// A kind that the protocol does not define.
    case unknown(name: [UInt8])

    /// True if the event belongs to the bin `ignored`.
    package var isIgnored: Bool {
        if case .unknown = self { return true }
        return false
    }

    /// True if the event creates its library even without a sequence.
    package var opensLibrary: Bool {
        switch self {
        case .changed, .batch, .deleted, .heartbeat, .reset: return true
        case .bulk, .refresh, .unknown: return false
        }
    }
}
