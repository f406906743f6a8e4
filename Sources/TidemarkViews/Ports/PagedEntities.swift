import TidemarkModel
import TidemarkStore

/// The entities of a library, with one page of them in order: what a step of filling reads.
package struct PagedEntities<Others: ViewEntities>: ListableEntities {
    private let others: Others
    private let type: ByteString
    private let page: [ByteString]
    private let resources: [[UInt8]]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - others: Reads the entities that are not in the page.
    ///   - type: The type of the page's entities.
    ///   - entities: The page, ascending by the ids, each once.
    package init(_ others: Others, type: ByteString, _ entities: [(id: ByteString, resource: [UInt8])]) {
        self.others = others
        self.type = type
        page = entities.map(\.id)
        resources = entities.map(\.resource)
    }

    /// Returns what the cache has of an entity: from the page, if it is there.
    ///
    /// - Complexity: O(log page).
    package func state(of key: ViewKey) -> ViewEntityState {
        guard key.type == type else { return others.state(of: key) }
        var bounds = page.indices
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            if page[middle] == key.id { return .present(resources[middle]) }
            bounds = page[middle] < key.id ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return others.state(of: key)
    }

    /// Returns the ids of the page, whatever is asked for: the owner reads the page that is needed next.
    package func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] { page }
}

extension ViewEntityState {
    /// The state of an entity of which a cache has something, or nothing.
    package init(_ presence: EntityPresence) {
        switch presence {
        case .present(let resource): self = .present(resource)
        case .deleted: self = .deleted
        case .unknown: self = .unknown
        }
    }
}
