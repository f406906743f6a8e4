import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// One field of a document with its variables substituted. An object, because a walk looks at it for every value.
package final class PlanField: Sendable {
    package let name: ByteString
    package let responseName: ByteString
    package let storageName: ByteString
    /// The response name with quotes and colon, after a comma.
    let separatedResponseName: [UInt8]
    /// The storage name as it is written between the quotes of a stored member.
    let writtenStorageName: [UInt8]
    /// The set of its own selections; nil for a leaf.
    let set: Int?
    /// The transformation for sending added it: it is stored and never shown.
    let isAdded: Bool
    /// `@cacheControl(maxAge:)` of the document, in seconds.
    let maxAge: Int?
    /// `@cacheControl(inheritMaxAge: true)` of the document.
    let inheritsAge: Bool
    /// The arguments that have a value.
    let arguments: [ByteString: InputValue]
    let isTypename: Bool

    init(
        _ field: Field, storageName: ByteString, set: Int?, age: (maxAge: Int?, inherits: Bool),
        arguments: [ByteString: InputValue]
    ) {
        name = field.name.text
        responseName = field.responseName
        self.storageName = storageName
        var response: [UInt8] = []
        response.reserveCapacity(field.responseName.bytes.count + 4)
        response.append(UInt8(ascii: ","))
        CanonicalString.append(field.responseName.bytes, to: &response)
        response.append(UInt8(ascii: ":"))
        separatedResponseName = response
        if storageName == name {
            // A name of GraphQL is written as it is.
            writtenStorageName = name.bytes
        } else {
            var quoted: [UInt8] = []
            CanonicalString.append(storageName.bytes, to: &quoted)
            writtenStorageName = Array(quoted[1..<quoted.count - 1])
        }
        self.set = set
        isAdded = field.isAdded
        maxAge = age.maxAge
        inheritsAge = age.inherits
        self.arguments = arguments
        isTypename = name == PlanField.typename
    }

    static let typename: ByteString = "__typename"
}

/// A place where a selection set names a field.
struct PlanItem: Sendable {
    /// An index of ``OperationPlan/fields``.
    let field: Int
    /// The innermost type condition around it, an index of ``OperationPlan/guards``; nil when there is none.
    let typeGuard: Int?
    /// The innermost deferred fragment around it, an index of ``OperationPlan/deferrals``; nil when there is none. In a
    /// set that merged fields have together it may stand in an object farther out.
    let deferral: Int?
}

/// A type condition inside others.
struct PlanGuard: Sendable {
    let condition: ByteString
    let outer: Int?
}

/// A deferred fragment of a selection set.
struct PlanDeferral: Sendable {
    let label: ByteString?
    /// The type conditions around the fragment.
    let outerGuard: Int?
    /// The same with its own.
    let ownGuard: Int?
}

/// One selection set with its fragments inserted.
struct PlanSet: Sendable {
    var items: [PlanItem] = []
    /// The deferred fragments in it, in document order.
    var deferrals: [Int] = []
}

/// A field of an object after CollectFields: every place of one response name together.
final class CollectedField {
    /// The first of its places in the document.
    let planned: PlanField
    /// The selections of all places; nil for a leaf.
    let set: Int?
    /// Every place was added.
    let isAdded: Bool
    /// The deferred fragments that its places in the document are in; empty when one of them is in none. Places that
    /// were added for sending say nothing of that.
    let deferrals: [Int]
    let maxAge: Int?
    let inheritsAge: Bool
    /// The type that the schema declares; nil without one.
    let type: SchemaTypeReference?
    /// The object type that the schema declares, inside all lists; nil for every other type.
    let objectTypename: ByteString?

    init(_ places: [PlanItem], of plan: OperationPlan, set: Int?, typename: ByteString?) {
        let fields = places.map { plan.fields[$0.field] }
        let own = places.filter { !plan.fields[$0.field].isAdded }
        planned = own.first.map { plan.fields[$0.field] } ?? fields[0]
        self.set = set
        isAdded = fields.allSatisfy(\.isAdded)
        deferrals = own.allSatisfy { $0.deferral != nil } ? own.compactMap(\.deferral) : []
        maxAge = fields.lazy.compactMap(\.maxAge).min()
        inheritsAge = fields.contains(where: \.inheritsAge)
        type = plan.rules.type(of: planned.name, in: typename)
        objectTypename = plan.rules.objectTypename(of: type)
    }
}

/// The fields of objects of one type in one selection set, in the order of CollectFields.
final class Collection {
    /// The place among the plan's collections.
    let index: Int
    let fields: [CollectedField]
    /// The deferred fragments whose fields are among `fields`.
    let deferrals: [Int]
    /// The deferred fragments whose own type condition cannot hold.
    let notExecuted: [Int]
    /// The fields that select the key fields of the type; nil for one that is not selected.
    let keyFields: [(name: ByteString, field: CollectedField?)]
    /// Further places of each key field, under other response names. Mostly empty.
    let otherKeyFields: [[CollectedField]]
    /// Whether objects of the type are told apart by their `id`.
    let hasDefaultKey: Bool
    /// Whether no two fields are stored under one name.
    let hasUniqueNames: Bool
    /// The storage names that a read of such an object wants.
    private(set) lazy var storageNames = Set(
        fields.lazy.filter { !$0.planned.isTypename && !$0.isAdded }.map(\.planned.storageName))
    /// The steps of a read.
    private(set) lazy var steps = FieldSteps(fields)
    /// The name of the type as a JSON string; nil when nobody knows it.
    let typenameText: [UInt8]?

    init(
        index: Int, typename: ByteString?, fields: [CollectedField], deferrals: [Int], notExecuted: [Int],
        keyFields: [(name: ByteString, field: CollectedField?)]
    ) {
        typenameText = typename.map { name in
            var text: [UInt8] = []
            CanonicalString.append(name.bytes, to: &text)
            return text
        }
        hasDefaultKey = keyFields.map(\.name) == IdentityRules.defaultKeyFields
        self.index = index
        self.fields = fields
        self.deferrals = deferrals
        self.notExecuted = notExecuted
        self.keyFields = keyFields
        otherKeyFields = keyFields.map { key in
            Array(fields.filter { $0.planned.storageName == key.name && $0.set == nil }.dropFirst())
        }
        let stored = fields.filter { !$0.planned.isTypename }
        hasUniqueNames = Set(stored.map(\.planned.storageName)).count == stored.count
    }
}
