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
    /// The resources that were read last, each at the place of its number: most are read several times in a row.
    private var recent: [(number: EntityNumber, resource: [UInt8]?)]
    /// The join keys that were made last, because a walk asks for them several times in a row.
    private var recentKeys: (condition: ObjectIdentifier, number: EntityNumber, keys: JoinKeys)?
    /// The rows that were rendered and look the same in every use.
    var shown: [ShownRow: ViewWindow.Shown] = [:]

    private static let fewCountMax = 4
    private static let recentCountMax = 8

    /// - Parameter overlay: The states to lay over, each key once.
    init(_ entities: any ViewEntities, overlay: [(key: ViewKey, state: ViewEntityState)] = []) {
        self.entities = entities
        let isFew = overlay.count <= ResourceReader.fewCountMax
        few = isFew ? overlay : []
        many = isFew ? [:] : Dictionary(overlay.map { ($0.key, $0.state) }) { first, _ in first }
        recent = [(number: EntityNumber, resource: [UInt8]?)](
            repeating: (EntityTable.none, nil), count: ResourceReader.recentCountMax)
    }

    /// The resource of an entity; nil without one.
    func resource(_ number: EntityNumber, _ table: EntityTable) -> [UInt8]? {
        let place = Int(number) & (ResourceReader.recentCountMax - 1)
        if recent[place].number == number { return recent[place].resource }
        let resource: [UInt8]?
        if let known = resources[number] {
            resource = known
        } else {
            resource = state(of: table.key(of: number)).resource
            resources[number] = .some(resource)
        }
        recent[place] = (number, resource)
        return resource
    }

    /// Notes the resource of an entity that is read next, and hardly again: the first one of the rows of a walk.
    func note(_ resource: [UInt8]?, of number: EntityNumber) {
        recent[Int(number) & (ResourceReader.recentCountMax - 1)] = (number, resource)
    }

    /// The join keys that a condition reads of an entity on its right side.
    ///
    /// - Parameter make: Makes the keys, if they are not known.
    func keys(_ condition: PlanCondition, _ number: EntityNumber, make: () -> JoinKeys) -> JoinKeys {
        if let known = recentKeys, known.number == number, known.condition == ObjectIdentifier(condition) {
            return known.keys
        }
        let keys = make()
        recentKeys = (ObjectIdentifier(condition), number, keys)
        return keys
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
