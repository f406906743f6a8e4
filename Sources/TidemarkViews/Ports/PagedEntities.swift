import TidemarkModel
import TidemarkStore

/// The entities of a library, with one page of them in order: what a step of filling reads.
package struct PagedEntities<Others: ViewEntities>: ViewEntities {
    private let others: Others
    private let page: [ByteString]
    private let resources: [ViewKey: [UInt8]]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - others: Reads the entities that are not in the page.
    ///   - type: The type of the page's entities.
    ///   - entities: The page, ascending by the ids, each once.
    package init(_ others: Others, type: ByteString, _ entities: [(id: ByteString, resource: [UInt8])]) {
        self.others = others
        page = entities.map(\.id)
        resources = Dictionary(
            entities.map { (ViewKey(type: type, id: $0.id), $0.resource) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns what the cache has of an entity: from the page, if it is there.
    package func state(of key: ViewKey) -> ViewEntityState {
        resources[key].map { .present($0) } ?? others.state(of: key)
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
