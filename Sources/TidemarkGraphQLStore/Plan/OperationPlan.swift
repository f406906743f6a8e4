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
    /// Whether some fragment is deferred.
    package var hasDeferrals: Bool { !deferrals.isEmpty }

    private struct CollectionKey: Hashable {
        var set: Int
        var typename: ByteString?
    }

    /// The collected fields of each set and type. Bound: the sets times the types that the server has.
    private var collections: [Collection] = []
    private var collectionIndices: [CollectionKey: Int] = [:]
    private var mergedSets: [[Int]: Int] = [:]

    init(rules: GraphRules, root: Root, rootMaxAge: Int?) {
        self.rules = rules
        self.root = root
        self.rootMaxAge = rootMaxAge
    }

    /// The type of the object that the plan begins with; nil for a fragment, whose entity has one.
    package var rootTypename: ByteString? {
        if case .operation(let kind) = root { rules.rootTypename(of: kind) } else { nil }
    }

    subscript(collection index: Int) -> Collection { collections[index] }

    /// The names of the root fields that the plan reads; empty for a fragment.
    ///
    /// - Complexity: O(root fields).
    var rootNames: [GraphRootName] {
        guard case .operation(.query) = root else { return [] }
        let fields = self[collection: collection(of: rootSet, typename: rootTypename)].fields
        return fields.compactMap { field in
            let planned = self.fields[field.field]
            return field.isAdded || planned.isTypename ? nil : GraphRootName(storageName: planned.storageName)
        }
    }

    /// The number that stands for the one field of a root field's entity.
    static let rootVisit = -1

    /// Returns the storage names that a visit of an entity wanted.
    ///
    /// - Complexity: O(fields).
    package func storageNames(of visit: EntityVisit) -> [ByteString] {
        guard visit.collection >= 0 else { return ["value"] }
        return collections[visit.collection].fields.compactMap { field in
            let planned = fields[field.field]
            return field.isAdded || planned.isTypename ? nil : planned.storageName
        }
    }

    // MARK: Collecting

    /// Returns the number of the fields that an object of a type has in a set.
    ///
    /// - Parameter typename: nil for an object whose type nobody knows.
    /// - Complexity: O(1) after the first time.
    func collection(of set: Int, typename: ByteString?) -> Int {
        let key = CollectionKey(set: set, typename: typename)
        if let known = collectionIndices[key] { return known }
        let collection = collect(set, typename)
        collections.append(collection)
        collectionIndices[key] = collections.count - 1
        return collections.count - 1
    }

    private func collect(_ set: Int, _ typename: ByteString?) -> Collection {
        var order: [ByteString] = []
        var places: [ByteString: [PlanItem]] = [:]
        for item in sets[set].items where holds(item.typeGuard, for: typename) {
            let name = fields[item.field].responseName
            if places[name] == nil { order.append(name) }
            places[name, default: []].append(item)
        }
        var collection = Collection()
        for name in order {
            guard let items = places[name] else { continue }
            collection.fields.append(collected(items, typename))
        }
        for deferral in sets[set].deferrals where holds(deferrals[deferral].outerGuard, for: typename) {
            if holds(deferrals[deferral].ownGuard, for: typename) {
                collection.deferrals.append(deferral)
            } else {
                collection.notExecuted.append(deferral)
            }
        }
        if let typename {
            collection.keyFields = rules.identity.keyFields(of: typename).map { name in
                (name, collection.fields.firstIndex { fields[$0.field].storageName == name && $0.set == nil })
            }
            for (place, keyField) in collection.keyFields.enumerated() {
                let all = collection.fields.indices.filter { index in
                    let field = collection.fields[index]
                    return fields[field.field].storageName == keyField.name && field.set == nil
                }
                if all.count > 1 { collection.otherKeyPlaces[place] = Array(all.dropFirst()) }
            }
        }
        return collection
    }

    private func collected(_ items: [PlanItem], _ typename: ByteString?) -> CollectedField {
        let first = fields[items[0].field]
        let inner = items.compactMap { fields[$0.field].set }
        let isDeferred = items.allSatisfy { $0.deferral != nil }
        return CollectedField(
            field: items[0].field, set: inner.isEmpty ? nil : merged(inner),
            isAdded: items.allSatisfy { fields[$0.field].isAdded },
            deferrals: isDeferred ? items.compactMap(\.deferral) : [],
            maxAge: items.lazy.compactMap { self.fields[$0.field].maxAge }.min(),
            inheritsAge: items.contains { fields[$0.field].inheritsAge },
            type: rules.type(of: first.name, in: typename))
    }

    /// Returns the set that has the items of all these sets.
    private func merged(_ parts: [Int]) -> Int {
        if parts.count == 1 { return parts[0] }
        if let known = mergedSets[parts] { return known }
        var set = PlanSet()
        for part in parts {
            set.items += sets[part].items
            set.deferrals += sets[part].deferrals
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

    /// Returns the response name under which a set asks for `__typename` whatever the object's type is.
    func typenameResponse(of set: Int) -> ByteString? {
        for item in sets[set].items where item.typeGuard == nil && fields[item.field].isTypename {
            return fields[item.field].responseName
        }
        return nil
    }

    /// Tells whether a set uses a response name for anything.
    func uses(_ responseName: ByteString, in set: Int) -> Bool {
        sets[set].items.contains { fields[$0.field].responseName == responseName }
    }
}
