import TidemarkModel

/// What a cache has of an entity.
package enum ViewEntityState: Hashable, Sendable {
    /// The entity's visible resource, with pending edits laid over: one validated JSON object without insignificant
    /// white space.
    case present([UInt8])
    /// The cache knows that the entity was deleted.
    case deleted
    /// The cache has neither the entity nor its tombstone.
    case unknown

    /// Returns true if two states are the same, to the byte.
    package static func == (left: ViewEntityState, right: ViewEntityState) -> Bool {
        switch (left, right) {
        case (.present(let first), .present(let second)): ByteOrder.equal(first, second)
        case (.deleted, .deleted), (.unknown, .unknown): true
        case (.present, _), (.deleted, _), (.unknown, _): false
        }
    }

    /// The visible resource; nil without one.
    package var resource: [UInt8]? {
        if case .present(let bytes) = self { bytes } else { nil }
    }
}

/// One entity that changed, with both of its states.
package struct ViewChange: Sendable {
    /// The entity.
    package let key: ViewKey
    /// What the cache had of it before the change.
    package let old: ViewEntityState
    /// What the cache has of it after the change.
    package let new: ViewEntityState

    /// Creates a change.
    package init(_ key: ViewKey, from old: ViewEntityState, to new: ViewEntityState) {
        self.key = key
        self.old = old
        self.new = new
    }
}

/// What views read: the visible entities of one library. The only way from the views to the rest of the cache.
package protocol ViewEntities {
    /// Returns what the cache has of an entity.
    func state(of key: ViewKey) -> ViewEntityState
}

/// Entities that can also be listed: a page of them, or all of a library where reading them all may take its time.
///
/// A cache in use is not: its entities are read page by page, so that reading many does not stop the stream.
package protocol ListableEntities: ViewEntities {
    /// Returns the ids of the present entities of a type, ascending by their bytes.
    ///
    /// - Parameters:
    ///   - id: The id after which to begin; nil for the first one.
    ///   - countMax: The most ids to return. Fewer mean that there are no more.
    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString]
}
