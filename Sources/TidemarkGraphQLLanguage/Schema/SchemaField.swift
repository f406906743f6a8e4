import TidemarkModel

/// A field of an object type or an interface.
package struct SchemaField: Sendable {
    /// The name of the field.
    package let name: ByteString
    /// The description; nil if there is none.
    package let description: ByteString?
    /// The arguments that the field accepts.
    package let arguments: SchemaInputs
    /// The declared type.
    package let type: SchemaTypeReference
}

/// An argument, or a field of an input type.
package struct SchemaInput: Sendable {
    /// The name of the argument or field.
    package let name: ByteString
    /// The declared type.
    package let type: SchemaTypeReference
    /// The default, which is a constant; nil if there is none.
    package let defaultValue: Value?

    /// True if a value must be given.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
}

/// The arguments of a field or directive, or the fields of an input type.
package struct SchemaInputs: Sendable {
    /// The inputs in their original order, each name once.
    package private(set) var all: [SchemaInput] = []
    private var indices: [ByteString: Int] = [:]

    /// Adds an input.
    ///
    /// - Returns: False if there is one with this name, which is kept.
    mutating func append(_ input: SchemaInput) -> Bool {
        guard indices[input.name] == nil else { return false }
        indices[input.name] = all.count
        all.append(input)
        return true
    }

    /// The input with a name; nil if there is none.
    ///
    /// - Complexity: O(1).
    package subscript(name: ByteString) -> SchemaInput? { indices[name].map { all[$0] } }
}
