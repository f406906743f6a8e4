/// Reads entities during one evaluation, each once.
///
/// It can show the state before a change: the states of the changed entities are then laid over.
final class ResourceReader {
    private let entities: any ViewEntities
    /// The states laid over: a few are searched one after the other.
    private let few: [(key: ViewKey, state: ViewEntityState)]
    private let many: [ViewKey: ViewEntityState]
    /// The resources that were read. It lives as long as one step, which the entities of a change bound.
    private var resources: [EntityNumber: [UInt8]?] = [:]
    /// The rows that were rendered and look the same in every use.
    var shown: [ShownRow: ViewWindow.Shown] = [:]

    private static let fewCountMax = 4

    /// - Parameter overlay: The states to lay over, each key once.
    init(_ entities: any ViewEntities, overlay: [(key: ViewKey, state: ViewEntityState)] = []) {
        self.entities = entities
        let isFew = overlay.count <= ResourceReader.fewCountMax
        few = isFew ? overlay : []
        many = isFew ? [:] : Dictionary(overlay.map { ($0.key, $0.state) }) { first, _ in first }
    }

    func resource(_ number: EntityNumber, _ key: ViewKey) -> [UInt8]? {
        if let known = resources[number] { return known }
        let resource = state(of: key).resource
        resources[number] = .some(resource)
        return resource
    }

    func state(of key: ViewKey) -> ViewEntityState {
        for entry in few where entry.key == key { return entry.state }
        return many[key] ?? entities.state(of: key)
    }
}

/// A row of one rule.
struct ShownRow: Hashable {
    let shape: Int
    let row: RowTuple
}
