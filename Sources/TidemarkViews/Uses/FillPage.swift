import TidemarkModel
import TidemarkStore

/// Some entities of one type in the order of their ids, from which relations and rows are filled.
struct FillPage {
    let type: ByteString
    /// The entities, each with its resource; nil for one that has none any more.
    let entities: [(id: ByteString, resource: OutlinedResource?)]
    /// True if the type has no more entities.
    let isLast: Bool

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - last: The id after which to begin; nil for the first one.
    ///   - countMax: The most entities to read, at least 1.
    init(of type: ByteString, after last: ByteString?, _ entities: any ListableEntities, countMax: Int) {
        self.type = type
        let ids = entities.ids(of: type, after: last, countMax: countMax)
        isLast = ids.count < countMax
        self.entities = ids.map { id in
            (id, entities.state(of: ViewKey(type: type, id: id)).resource.map { OutlinedResource($0) })
        }
    }
}
