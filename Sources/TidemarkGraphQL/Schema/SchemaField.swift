import TidemarkModel

/// A field of an object type or an interface.
package struct SchemaField: Sendable {
    package let name: ByteString
    package let description: ByteString?
    package let arguments: SchemaInputs
    package let type: SchemaTypeReference
}

/// An argument, or a field of an input type.
package struct SchemaInput: Sendable {
    package let name: ByteString
    package let type: SchemaTypeReference
    /// A constant.
    package let defaultValue: Value?

    /// A value must be given.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
}

/// Arguments of one field or directive, or the fields of one input type.
package struct SchemaInputs: Sendable {
    /// The inputs in the order written; no two of one name.
    package private(set) var all: [SchemaInput] = []
    private var indices: [ByteString: Int] = [:]

    /// - Returns: false when there is one of that name: it stays.
    mutating func append(_ input: SchemaInput) -> Bool {
        guard indices[input.name] == nil else { return false }
        indices[input.name] = all.count
        all.append(input)
        return true
    }

    /// - Complexity: O(1).
    package subscript(name: ByteString) -> SchemaInput? { indices[name].map { all[$0] } }
}
