import TidemarkStore

/// Reads entities during one evaluation, each once.
///
/// It can show the state before a change: the states of the changed entities are then laid over.
final class ResourceReader {
    /// The version of an entity that is laid over.
    struct Version {
        let key: ViewKey
        let state: ViewEntityState
        let resource: OutlinedResource?
    }

    private let entities: any ViewEntities
    /// Reads the entities that are not laid over; nil to read them here. Two states of one step share what they read.
    private let others: ResourceReader?
    /// The states laid over: a few are searched one after the other.
    private let few: [Version]
    private let many: [ViewKey: Version]
    /// The resources that were read last, each at the place of its number: most are read several times in a row. Empty
    /// until the first one is read.
    private var recent: [(number: EntityNumber, resource: OutlinedResource?)] = []
    /// The first entity of the rows that a walk visits now.
    private var first: (number: EntityNumber, resource: OutlinedResource?) = (EntityTable.none, nil)
    /// The resources that gave up their place. It lives as long as one step, which the entities of a change bound.
    private var earlier: [EntityNumber: OutlinedResource?] = [:]
    /// The join keys that were made last, because a walk asks for them several times in a row.
    private var recentKeys: (condition: ObjectIdentifier, number: EntityNumber, keys: JoinKeys)?
    /// The rows that were rendered and look the same in every use.
    var shown: [ShownRow: ViewWindow.Shown] = [:]

    private static let fewCountMax = 4
    private static let recentCountMax = 8

    /// - Parameters:
    ///   - others: A reader of the same entities in another state, which differs in nothing but what is laid over.
    ///   - overlay: The states to lay over, each key once.
    init(_ entities: any ViewEntities, others: ResourceReader? = nil, overlay: [Version] = []) {
        self.entities = entities
        self.others = others
        let isFew = overlay.count <= ResourceReader.fewCountMax
        few = isFew ? overlay : []
        many = isFew ? [:] : Dictionary(overlay.map { ($0.key, $0) }) { first, _ in first }
    }

    /// The resource of an entity; nil without one.
    func resource(_ number: EntityNumber, _ table: EntityTable) -> OutlinedResource? {
        if first.number == number { return first.resource }
        if let others {
            // What is laid over needs no reading, and the others keep what they read.
            if let version = version(of: table.key(of: number)) { return version.resource }
            return others.resource(number, table)
        }
        if recent.isEmpty {
            recent = [(number: EntityNumber, resource: OutlinedResource?)](
                repeating: (EntityTable.none, nil), count: ResourceReader.recentCountMax)
        }
        let place = Int(number) & (ResourceReader.recentCountMax - 1)
        if recent[place].number == number { return recent[place].resource }
        let resource: OutlinedResource?
        if !earlier.isEmpty, let known = earlier[number] {
            resource = known
        } else {
            resource = read(number, table)
        }
        if recent[place].number != EntityTable.none {
            earlier[recent[place].number] = .some(recent[place].resource)
        }
        recent[place] = (number, resource)
        return resource
    }

    private func read(_ number: EntityNumber, _ table: EntityTable) -> OutlinedResource? {
        let key = table.key(of: number)
        if let version = version(of: key) { return version.resource }
        return entities.state(of: key).resource.map { OutlinedResource($0) }
    }

    /// Notes the resource of an entity that is read next, and hardly again: the first one of the rows of a walk.
    func note(_ resource: OutlinedResource?, of number: EntityNumber) { first = (number, resource) }

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

    func state(of key: ViewKey) -> ViewEntityState { version(of: key)?.state ?? entities.state(of: key) }

    private func version(of key: ViewKey) -> Version? {
        for entry in few where entry.key == key { return entry }
        return many.isEmpty ? nil : many[key]
    }
}

/// A row of one rule.
struct ShownRow: Hashable {
    let shape: Int
    let row: RowTuple
}
