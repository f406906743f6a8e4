import TidemarkModel

/// What a layer does to one entity.
package enum LayerOperation: Hashable, Sendable {
    /// Replaces the entity.
    case put(ItemFields)
    /// Merges fields into an existing entity.
    case patch(ItemFields)
    /// Deletes the entity.
    case delete

    /// Returns the fields after the change; nil if there is no entity.
    package func applied(to fields: ItemFields?) -> ItemFields? {
        switch self {
        case .put(let new): new
        case .patch(let new): fields?.merged(new)
        case .delete: nil
        }
    }
}

/// An optimistic edit of a simulated host, and whether the cache must have it. Laws: L2.
package struct LayerTruth: Sendable {
    /// The pending id of the edit.
    package let pendingID: String
    /// The library of the edit.
    package let library: String
    /// The changes of the layer; each id occurs once.
    package let changes: [(id: String, operation: LayerOperation)]
    /// The pending id of the edit that this one depends on; nil for none.
    package let dependsOn: String?
    /// The request that the cache sends; nil if the host sends the edit itself.
    package let request: MutationRequest?
    /// True if the cache must have the layer. Otherwise it may: its request was not answered yet, or it may have
    /// settled.
    package var isCertain: Bool
    /// True once the layer was seen; its position among the layers is fixed from then on.
    package var isPlaced = false
    /// The sequence that the layer waits for; nil if it waits for none.
    package var awaited: Int64?
    /// True once the server has performed or refused the edit.
    package var isHandled = false

    /// The number of the input that created the edit.
    package var number: Int { SentEdits.number(pendingID) }
}
