import TidemarkModel

/// The change of a layer to one entity.
package enum LayerOperation: Hashable, Sendable {
    case put(ItemFields)
    case patch(ItemFields)
    case delete

    package func applied(to fields: ItemFields?) -> ItemFields? {
        switch self {
        case .put(let new): new
        case .patch(let new): fields?.merged(new)
        case .delete: nil
        }
    }
}

/// An optimistic edit of a simulated host, with the certainty that the cache has it. Laws: L2.
package struct LayerTruth: Sendable {
    package let pendingID: String
    package let library: String
    /// The changes of the layer, no id twice.
    package let changes: [(id: String, operation: LayerOperation)]
    package let dependsOn: String?
    /// The request that the cache sends; nil when the host sends the edit itself.
    package let request: MutationRequest?
    /// Whether the cache must have the layer. Otherwise it may: its request was not answered, or it may have settled.
    package var isCertain: Bool
    /// Whether the layer was seen: from then on its place among the others stays.
    package var isPlaced = false
    /// The place in the log that the layer waits for; nil when it waits for none.
    package var awaited: Int64?
    /// Whether the server has performed or refused the edit.
    package var isHandled = false

    /// The number of the input that made the edit.
    package var number: Int { SentEdits.number(pendingID) }
}
