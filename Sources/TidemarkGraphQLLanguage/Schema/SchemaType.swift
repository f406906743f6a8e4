import TidemarkModel

/// A type of a schema with all its extensions.
package struct SchemaType: Sendable {
    /// The six kinds of types.
    package enum Kind: String, Hashable, Sendable {
        case scalar = "a scalar"
        case object = "an object type"
        case interface = "an interface"
        case union = "a union"
        case enumeration = "an enum"
        case input = "an input type"
    }

    /// The name of the type.
    package let name: ByteString
    /// The kind of the type.
    package let kind: Kind
    /// The description; nil if there is none.
    package internal(set) var description: ByteString?
    /// The fields of an object type or an interface in their original order, each name once.
    package internal(set) var fields: [SchemaField] = []
    var fieldIndices: [ByteString: Int] = [:]
    /// The interfaces that the type names, ordered by number.
    package internal(set) var interfaces: [SchemaTypeID] = []
    /// The object types that a value of this type can have: itself, its implementers or its members. Ordered by number.
    package internal(set) var possibleTypes: [SchemaTypeID] = []
    /// The possible types as a set, for look-ups.
    var possibleTypeSet: Set<SchemaTypeID> = []
    /// The values of an enum.
    package internal(set) var values: Set<ByteString> = []
    /// The fields of an input type in their original order, each name once.
    package internal(set) var inputs = SchemaInputs()

    init(name: ByteString, kind: Kind, description: ByteString?) {
        self.name = name
        self.kind = kind
        self.description = description
    }

    /// True for a type on which fields are selected: an object type, an interface or a union.
    package var isComposite: Bool { kind == .object || kind == .interface || kind == .union }

    /// True if a value of the type can be given to an argument or a variable.
    package var isInput: Bool { kind == .scalar || kind == .enumeration || kind == .input }

    /// Returns a field; nil if the type does not declare it.
    ///
    /// - Complexity: O(1).
    package func field(_ name: ByteString) -> SchemaField? { fieldIndices[name].map { fields[$0] } }
}
