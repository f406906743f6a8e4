/// What a layer does to one entity.
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

/// An optimistic edit of a simulated host, and how sure it is that the cache has it. Laws: L2.
package struct LayerTruth: Sendable {
    package let pendingID: String
    package let library: String
    /// No id twice.
    package let changes: [(id: String, operation: LayerOperation)]
    package let dependsOn: String?
    /// The cache must have it. Otherwise it may: it was not answered, or may have settled.
    package var isCertain: Bool
    /// It was seen: from then on its place among the others stays.
    package var isPlaced = false
    /// The place in the log that it waits for.
    package var awaited: Int64?
    /// The server did it, or refused.
    package var isHandled = false
}
