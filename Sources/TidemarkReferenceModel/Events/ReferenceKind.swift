/// The content of an event, after every check. Types are already mapped through the aliases.
package enum ReferenceKind: Equatable, Sendable {
    case changed(type: [UInt8], resource: ReferenceResource, metadata: ReferenceMetadata?)
    case batch(type: [UInt8], members: [ReferenceBatchMember], metadata: ReferenceMetadata?)
    case deleted(type: [UInt8], id: [UInt8])
    case bulk(type: [UInt8])
    case refresh
    case heartbeat(lastSequence: Int64)
    case reset(epoch: [UInt8])
    /// A kind that Tidemark has no rule for.
    case unknown(name: [UInt8])

    /// Whether the event belongs to the bin `ignored`.
    package var isIgnored: Bool {
        if case .unknown = self { return true }
        return false
    }

    /// Whether the event alone, without a sequence, makes its library exist.
    package var opensLibrary: Bool {
        switch self {
        case .changed, .batch, .deleted, .heartbeat, .reset: return true
        case .bulk, .refresh, .unknown: return false
        }
    }
}
