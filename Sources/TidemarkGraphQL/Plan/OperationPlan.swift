import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// An operation or fragment with its variables filled in: the structure that normalizer and reader walk.
///
/// Fragments are inlined, conditions on variables are decided, and storage names are computed once. Which fields an
/// object has depends on its type; that is computed at the first object of each type and kept.
///
/// A plan is used by one thread at a time; it is not Sendable.
///
/// - Source: GraphQL, October 2021, section 6.3.2, CollectFields; Protocol/graphql.md, storage names.
package final class OperationPlan {
    /// The object at which the plan starts.
    package enum Root: Hashable, Sendable {
        /// The root of an operation.
        case operation(OperationKind)
        /// One entity, read through a fragment.
        case fragment
    }

    /// The schema, identities and policy.
    package let rules: GraphQLRules
    /// The object at which the plan starts.
    package let root: Root
    /// The `@cacheControl(maxAge:)` on the operation itself, in seconds.
    let rootMaxAge: Int?
    var fields: [PlanField] = []
    var guards: [PlanGuard] = []
    var deferrals: [PlanDeferral] = []
    /// The selection sets of the document, and those merged from several places of one field. Bounded by the document's
    /// limits.
    var sets: [PlanSet] = []
    let rootSet = 0
    /// True if the document sets limits on fields.
    var hasAges = false
    /// True if nothing that the plan reads can become too old.
    var isAgeless: Bool { !hasAges && rootMaxAge == nil && rules.policy.types.isEmpty }
    /// True if at least one fragment is deferred.
    package var hasDeferrals: Bool { !deferrals.isEmpty }

    private struct CollectionKey: Hashable {
        var set: Int
        var typename: ByteString?
    }

    /// The collected fields of each set and type. Bounded by the sets times the types of the server.
    private var collections: [Collection] = []
    private var collectionIndices: [CollectionKey: Int] = [:]
    /// The collection used last, by set, because the objects of a list mostly have one type.
    private var recent: [(typename: ByteString?, collection: Collection)?] = []
    private var mergedSets: [[SetPart]: Int] = [:]

    /// The selections of one place of a field.
    private struct SetPart: Hashable {
        var set: Int
        /// The deferred fragment around this place; nil if there is none, or all places are in the same one.
        var deferral: Int?
    }

    init(rules: GraphQLRules, root: Root, rootMaxAge: Int?) {
        self.rules = rules
        self.root = root
        self.rootMaxAge = rootMaxAge
    }

    /// The type of the object at which the plan starts; nil for a fragment, which takes it from its entity.
    package var rootTypename: ByteString? {
        if case .operation(let kind) = root { rules.rootTypename(of: kind) } else { nil }
    }

    func collection(_ index: Int) -> Collection { collections[index] }

    /// The names of the root fields that the plan reads; empty for a fragment.
    ///
    /// - Complexity: O(root fields).
    var rootNames: [RootName] {
        guard case .operation(.query) = root else { return [] }
        return collection(of: rootSet, typename: rootTypename).fields.compactMap { field in
            field.isAdded || field.planned.isTypename ? nil : RootName(storageName: field.planned.storageName)
        }
    }

    /// The collection number that means the only field of a root field's entity.
    static let rootVisit = -1

    private static let rootFields: Set<ByteString> = ["value"]

    /// Returns the storage names of a collection, which a visit of an entity reads.
    ///
    /// - Complexity: O(1).
    package func storageNames(of collection: Int) -> Set<ByteString> {
        collection >= 0 ? collections[collection].storageNames : OperationPlan.rootFields
    }

    // MARK: Collecting

    /// Returns the fields that an object of a type has in a set.
    ///
    /// - Parameter typename: The type of the object; nil if unknown.
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
        // A name takes its position from the document. Fields that were added for sending follow after all others.
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

    /// Returns the set with the items of all places of one field.
    ///
    /// A place in a deferred fragment defers what it selects. But if all places are in the same fragment, the field
    /// itself is deferred with it.
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
    /// A set may select it under several names, some of them in deferred fragments; the first one present counts. An
    /// object may have it even if the set does not select it, under a name that means nothing else.
    ///
    /// - Parameter value: Returns the value of the object's member with a response name.
    /// - Complexity: O(items).
    func typename<Value>(of set: Int, _ value: (ByteString) -> Value?) -> Value? {
        var isSelected = false
        for item in sets[set].items where item.typeGuard == nil && fields[item.field].isTypename {
            isSelected = true
            if let found = value(fields[item.field].responseName) { return found }
        }
        return isSelected || uses(PlanField.typename, in: set) ? nil : value(PlanField.typename)
    }

    /// True if a set uses a response name.
    func uses(_ responseName: ByteString, in set: Int) -> Bool {
        sets[set].items.contains { fields[$0.field].responseName == responseName }
    }
}
