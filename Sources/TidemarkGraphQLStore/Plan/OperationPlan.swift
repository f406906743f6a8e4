import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// A document's operation or fragment with its variables substituted: what a normalizer and a reader walk.
///
/// Fragments are inserted, conditions on variables are decided and storage names are made once. Which fields an object
/// has depends on its type: that is worked out when the first object of a type comes, and kept.
///
/// A plan is used by one thread at a time; it is not Sendable.
///
/// - Source: GraphQL, October 2021, section 6.3.2, CollectFields; Protocol/graphql.md, storage names.
package final class OperationPlan {
    /// The object that the plan begins with.
    package enum Root: Hashable, Sendable {
        case operation(OperationKind)
        /// One entity, by a fragment.
        case fragment
    }

    package let rules: GraphRules
    package let root: Root
    /// The seconds of `@cacheControl(maxAge:)` on the operation itself.
    let rootMaxAge: Int?
    var fields: [PlanField] = []
    var guards: [PlanGuard] = []
    var deferrals: [PlanDeferral] = []
    /// The sets of the document, and those that merged fields have together. Bounded by the document's limits.
    var sets: [PlanSet] = []
    let rootSet = 0
    /// Whether the document has limits of its own on fields.
    var hasAges = false
    /// Whether nothing that the plan reads can ever be too old.
    var isAgeless: Bool { !hasAges && rootMaxAge == nil && rules.policy.types.isEmpty }
    /// Whether some fragment is deferred.
    package var hasDeferrals: Bool { !deferrals.isEmpty }

    private struct CollectionKey: Hashable {
        var set: Int
        var typename: ByteString?
    }

    /// The collected fields of each set and type. Bound: the sets times the types that the server has.
    private var collections: [Collection] = []
    private var collectionIndices: [CollectionKey: Int] = [:]
    /// The collection that was asked for last, by set: the objects of a list have one type for the most part.
    private var recent: [(typename: ByteString?, collection: Collection)?] = []
    private var mergedSets: [[SetPart]: Int] = [:]

    /// The selections of one place of a field.
    private struct SetPart: Hashable {
        var set: Int
        /// The deferred fragment that the place is in; nil where it is in none, or in the one of all other places.
        var deferral: Int?
    }

    init(rules: GraphRules, root: Root, rootMaxAge: Int?) {
        self.rules = rules
        self.root = root
        self.rootMaxAge = rootMaxAge
    }

    /// The type of the object that the plan begins with; nil for a fragment, whose entity has one.
    package var rootTypename: ByteString? {
        if case .operation(let kind) = root { rules.rootTypename(of: kind) } else { nil }
    }

    func collection(_ index: Int) -> Collection { collections[index] }

    /// The names of the root fields that the plan reads; empty for a fragment.
    ///
    /// - Complexity: O(root fields).
    var rootNames: [GraphRootName] {
        guard case .operation(.query) = root else { return [] }
        return collection(of: rootSet, typename: rootTypename).fields.compactMap { field in
            field.isAdded || field.planned.isTypename ? nil : GraphRootName(storageName: field.planned.storageName)
        }
    }

    /// The number that stands for the one field of a root field's entity.
    static let rootVisit = -1

    private static let rootFields: Set<ByteString> = ["value"]

    /// Returns the storage names that a visit of an entity wanted.
    ///
    /// - Complexity: O(1).
    package func storageNames(of collection: Int) -> Set<ByteString> {
        collection >= 0 ? collections[collection].storageNames : OperationPlan.rootFields
    }

    // MARK: Collecting

    /// Returns the fields that an object of a type has in a set.
    ///
    /// - Parameter typename: nil for an object whose type nobody knows.
    /// - Complexity: O(1) after the first time.
    func collection(of set: Int, typename: ByteString?) -> Collection {
        if set < recent.count, let last = recent[set], last.typename == typename { return last.collection }
        let key = CollectionKey(set: set, typename: typename)
        let found: Collection
        if let known = collectionIndices[key] {
            found = collections[known]
        } else {
            found = collect(set, typename)
            collections.append(found)
            collectionIndices[key] = found.index
        }
        while recent.count <= set { recent.append(nil) }
        recent[set] = (typename, found)
        return found
    }

    private func collect(_ set: Int, _ typename: ByteString?) -> Collection {
        // A name has the place at which the document says it: what was added for sending comes after everything.
        var order: [ByteString] = []
        var added: [ByteString] = []
        var isSaid: Set<ByteString> = []
        var places: [ByteString: [PlanItem]] = [:]
        for item in sets[set].items where holds(item.typeGuard, for: typename) {
            let name = fields[item.field].responseName
            if !fields[item.field].isAdded {
                if isSaid.insert(name).inserted { order.append(name) }
            } else if places[name] == nil {
                added.append(name)
            }
            places[name, default: []].append(item)
        }
        order += added.filter { !isSaid.contains($0) }
        let collected = order.map { name in
            let items = places[name] ?? []
            let inner = items.compactMap { item in
                fields[item.field].set.map { SetPart(set: $0, deferral: item.deferral) }
            }
            return CollectedField(items, of: self, set: inner.isEmpty ? nil : merged(inner), typename: typename)
        }
        var executed: [Int] = []
        var notExecuted: [Int] = []
        for deferral in sets[set].deferrals where holds(deferrals[deferral].outerGuard, for: typename) {
            if holds(deferrals[deferral].ownGuard, for: typename) {
                executed.append(deferral)
            } else {
                notExecuted.append(deferral)
            }
        }
        let names = typename.map { rules.identity.keyFields(of: $0) } ?? []
        return Collection(
            index: collections.count, typename: typename, fields: collected, deferrals: executed,
            notExecuted: notExecuted,
            keyFields: names.map { name in
                (name, collected.first { $0.planned.storageName == name && $0.set == nil })
            })
    }

    /// Returns the set that has the items of all these places of one field.
    ///
    /// A place in a deferred fragment defers what it selects, unless all places are in that fragment: then the field
    /// itself comes with it.
    private func merged(_ places: [SetPart]) -> Int {
        var parts = places
        if places.allSatisfy({ $0.deferral == places[0].deferral }) {
            for index in parts.indices { parts[index].deferral = nil }
        }
        if parts.count == 1 { return parts[0].set }
        if let known = mergedSets[parts] { return known }
        var set = PlanSet()
        for part in parts {
            set.items += sets[part.set].items.map { item in
                PlanItem(field: item.field, typeGuard: item.typeGuard, deferral: item.deferral ?? part.deferral)
            }
            set.deferrals += sets[part.set].deferrals
        }
        sets.append(set)
        mergedSets[parts] = sets.count - 1
        return sets.count - 1
    }

    private func holds(_ typeGuard: Int?, for typename: ByteString?) -> Bool {
        var next = typeGuard
        while let index = next {
            guard rules.applies(guards[index].condition, to: typename) else { return false }
            next = guards[index].outer
        }
        return true
    }

    /// Returns the value of an object's `__typename`, whatever its type is.
    ///
    /// A set may ask for it under several names, some of them in deferred fragments: the first that is there counts. A
    /// set that asks for none may have it all the same, under a name that stands for nothing else.
    ///
    /// - Parameter value: Returns the value that the object has under a response name.
    /// - Complexity: O(items).
    func typename<Value>(of set: Int, _ value: (ByteString) -> Value?) -> Value? {
        var isSelected = false
        for item in sets[set].items where item.typeGuard == nil && fields[item.field].isTypename {
            isSelected = true
            if let found = value(fields[item.field].responseName) { return found }
        }
        return isSelected || uses(PlanField.typename, in: set) ? nil : value(PlanField.typename)
    }

    /// Tells whether a set uses a response name for anything.
    func uses(_ responseName: ByteString, in set: Int) -> Bool {
        sets[set].items.contains { fields[$0.field].responseName == responseName }
    }
}
