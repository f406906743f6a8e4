import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// A field of a document with its variables filled in. It is an object because a walk accesses it for every value.
package final class PlanField: Sendable {
    /// The name of the field in the schema.
    package let name: ByteString
    /// The alias, or the name if there is none.
    package let responseName: ByteString
    /// The name under which the value is stored: the field's name and its arguments.
    package let storageName: ByteString
    /// A comma, the response name in quotes, and a colon.
    let separatedResponseName: [UInt8]
    /// The storage name as it is written between the quotes of a stored member.
    let writtenStorageName: [UInt8]
    /// The set of the field's selections; nil for a leaf.
    let set: Int?
    /// True if the field was added for sending: it is stored and never shown.
    let isAdded: Bool
    /// The `@cacheControl(maxAge:)` of the document, in seconds.
    let maxAge: Int?
    /// True if the document has `@cacheControl(inheritMaxAge: true)`.
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
            // A GraphQL name needs no escapes.
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

/// One place where a selection set names a field.
struct PlanItem: Sendable {
    /// The field, as an index into ``OperationPlan/fields``.
    let field: Int
    /// The innermost type condition around the place, as an index into ``OperationPlan/guards``; nil if there is none.
    let typeGuard: Int?
    /// The innermost deferred fragment around the place, as an index into ``OperationPlan/deferrals``; nil if there is
    /// none. In a set merged from several places, the fragment may belong to an outer object.
    let deferral: Int?
}

/// A type condition, and the one around it.
struct PlanGuard: Sendable {
    let condition: ByteString
    let outer: Int?
}

/// A deferred fragment of a selection set.
struct PlanDeferral: Sendable {
    let label: ByteString?
    /// The type conditions around the fragment.
    let outerGuard: Int?
    /// These type conditions, with the fragment's own.
    let ownGuard: Int?
}

/// A selection set with its fragments inlined.
struct PlanSet: Sendable {
    var items: [PlanItem] = []
    /// The deferred fragments in it, in document order.
    var deferrals: [Int] = []
}

/// A field of an object after CollectFields: all places of one response name together.
final class CollectedField {
    /// The first place in the document.
    let planned: PlanField
    /// The selections of all places; nil for a leaf.
    let set: Int?
    /// True if all places were added for sending.
    let isAdded: Bool
    /// The deferred fragments around its places in the document; empty if at least one place is in none. Places that
    /// were added for sending do not count.
    let deferrals: [Int]
    let maxAge: Int?
    let inheritsAge: Bool
    /// The declared type; nil without a schema.
    let type: SchemaTypeReference?
    /// The declared object type, inside all lists; nil for every other type.
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
    /// The index among the plan's collections.
    let index: Int
    let fields: [CollectedField]
    /// The deferred fragments whose fields are among `fields`.
    let deferrals: [Int]
    /// The deferred fragments whose type condition does not hold.
    let notExecuted: [Int]
    /// The key fields of the type, each with the field that selects it; nil if none does.
    let keyFields: [(name: ByteString, field: CollectedField?)]
    /// Further fields that select each key field, under other response names. Mostly empty.
    let otherKeyFields: [[CollectedField]]
    /// True if objects of the type are identified by their `id`.
    let hasDefaultKey: Bool
    /// True if all fields have different storage names.
    let hasUniqueNames: Bool
    /// The storage names that a read of such an object needs.
    private(set) lazy var storageNames = Set(
        fields.lazy.filter { !$0.planned.isTypename && !$0.isAdded }.map(\.planned.storageName))
    /// The steps of a read.
    private(set) lazy var steps = FieldSteps(fields)
    /// The name of the type as a JSON string; nil if unknown.
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
