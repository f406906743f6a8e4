import TidemarkGraphQL
import TidemarkModel

/// One field of a document with its variables substituted.
package struct PlanField: Sendable {
    package let name: ByteString
    package let responseName: ByteString
    package let storageName: ByteString
    /// The response name with quotes and colon.
    let quotedResponseName: [UInt8]
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

    var isTypename: Bool { name == PlanField.typename }

    static let typename: ByteString = "__typename"
}

/// A place where a selection set names a field.
struct PlanItem: Sendable {
    /// An index of ``OperationPlan/fields``.
    let field: Int
    /// The innermost type condition around it, an index of ``OperationPlan/guards``; nil when there is none.
    let typeGuard: Int?
    /// The innermost deferred fragment around it, an index of ``OperationPlan/deferrals``; nil when there is none.
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
struct CollectedField: Sendable {
    /// The first of its places.
    let field: Int
    /// The selections of all places; nil for a leaf.
    let set: Int?
    /// Every place was added.
    let isAdded: Bool
    /// The deferred fragments that its places are in; empty when one of them is in none.
    let deferrals: [Int]
    let maxAge: Int?
    let inheritsAge: Bool
    /// The type that the schema declares; nil without one.
    let type: SchemaTypeReference?
}

/// The fields of objects of one type in one selection set, in the order of CollectFields.
struct Collection: Sendable {
    var fields: [CollectedField] = []
    /// The deferred fragments whose fields are among `fields`.
    var deferrals: [Int] = []
    /// The deferred fragments whose own type condition cannot hold.
    var notExecuted: [Int] = []
    /// The index of the field that selects each key field of the type; nil for one that is not selected.
    var keyFields: [(name: ByteString, field: Int?)] = []
    /// Further places of key fields, under other response names, by the place of the key field. Mostly empty.
    var otherKeyPlaces: [Int: [Int]] = [:]
}
