import Tidemark
import TidemarkModel
import TidemarkStore

/// A pending layer that passed its check.
public struct ReadLayer: Hashable, Sendable {
    /// The number of the layer; newer layers have higher numbers.
    public var number: Int64
    /// When the layer was created, in milliseconds since 1970.
    public var createdAt: Int64
    /// The layer as a running cache lists it, with the recorded state.
    public var layer: PendingLayer
    /// The recorded progress of the layer's request, `queued` or `failed`; nil when it has no request.
    public var outbox: OutboxStatus?
    /// The key of each operation's entity, in the order of the operations.
    public var keys: [EntityKey]

    init(_ record: LayerRecord, isOrphaned: Bool, _ names: ReadNames) {
        number = record.number
        createdAt = record.createdAt
        let library = names.libraries[Int(record.library)]
        outbox = record.sending.map { sending in
            OutboxStatus(
                pendingID: record.pendingID, library: library, state: sending.failure == nil ? .queued : .failed,
                attempt: sending.attemptCount, failure: sending.failure)
        }
        let name = { (change: LayerChange) in
            EntityKey(
                library: names.libraries[Int(change.key.library)], type: names.types[Int(change.key.type)],
                id: change.key.id.text)
        }
        let given = record.changes.filter { !$0.isAlong }
        keys = given.map(name)
        layer = PendingLayer(
            pendingID: record.pendingID,
            state: isOrphaned ? .orphaned : record.isConfirmed ? .confirmed : .pending,
            library: names.libraries[Int(record.library)],
            operations: given.map { change in
                let type = names.types[Int(change.key.type)]
                let id = change.key.id.text
                return switch change {
                case .put(_, let resource): .put(type: type, resource: resource)
                case .patch(_, let fields, let unset): .patch(type: type, id: id, fields: fields, unset: unset)
                case .merge(_, let fields): .merge(type: type, id: id, fields: fields)
                case .removeField(_, let field): .removeField(type: type, id: id, field: field)
                case .delete: .delete(type: type, id: id)
                }
            },
            along: record.changes.filter(\.isAlong).map(name), dependsOn: record.dependsOn)
    }
}

/// One row of the stored layers.
public enum ReadLayerStep: Hashable, Sendable {
    /// The next layer, oldest first.
    case layer(ReadLayer)
    /// A row that fails its check.
    case damaged(DamagedRow)
}
