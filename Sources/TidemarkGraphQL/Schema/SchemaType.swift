import TidemarkModel

/// A type of a schema with all that extends it.
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

    package let name: ByteString
    package let kind: Kind
    package internal(set) var description: ByteString?
    /// Fields of an object type or an interface, in the order written; no two of one name.
    package internal(set) var fields: [SchemaField] = []
    var fieldIndices: [ByteString: Int] = [:]
    /// Interfaces that it names, in the order of their numbers.
    package internal(set) var interfaces: [SchemaTypeID] = []
    /// Object types that a value of this type can have: itself, implementers or members. In the order of their numbers.
    package internal(set) var possibleTypes: [SchemaTypeID] = []
    /// The same as `possibleTypes`, for look-ups.
    var possibleTypeSet: Set<SchemaTypeID> = []
    /// Values of an enum.
    package internal(set) var values: Set<ByteString> = []
    /// Fields of an input type, in the order written; no two of one name.
    package internal(set) var inputs = SchemaInputs()

    init(name: ByteString, kind: Kind, description: ByteString?) {
        self.name = name
        self.kind = kind
        self.description = description
    }

    /// The type has fields to select, or stands for types that have.
    package var isComposite: Bool { kind == .object || kind == .interface || kind == .union }

    /// The type can be given: to an argument or a variable.
    package var isInput: Bool { kind == .scalar || kind == .enumeration || kind == .input }

    /// - Complexity: O(1).
    package func field(_ name: ByteString) -> SchemaField? { fieldIndices[name].map { fields[$0] } }
}
