import TidemarkModel

/// Entities of some types, as they were while they were copied page by page.
package struct CopiedEntities: ListableEntities, Sendable {
    private var ids: [ByteString: [ByteString]] = [:]
    private var resources: [ViewKey: [UInt8]] = [:]

    /// Creates a copy without entities.
    package init() {}

    /// How many entities there are.
    package var count: Int { resources.count }

    /// Adds a page, whose ids are above those of the type's pages before. The caller bounds how many pages there are.
    package mutating func add(_ entities: [(id: ByteString, resource: [UInt8])], of type: ByteString) {
        for entity in entities {
            ids[type, default: []].append(entity.id)
            resources[ViewKey(type: type, id: entity.id)] = entity.resource
        }
    }

    /// Returns the resource that was copied.
    package func state(of key: ViewKey) -> ViewEntityState { resources[key].map { .present($0) } ?? .unknown }

    /// Returns the ids that were copied.
    package func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        guard let all = ids[type] else { return [] }
        guard let id else { return Array(all.prefix(countMax)) }
        // The first id above the given one, by bisection.
        var bounds = all.indices
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            bounds = all[middle] <= id ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return Array(all[bounds.lowerBound...].prefix(countMax))
    }
}
