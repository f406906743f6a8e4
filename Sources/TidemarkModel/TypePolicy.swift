/// A policy's rules for one type and its fields.
///
/// - Source: Protocol/policy.md, effective rules.
package struct TypePolicy: Hashable, Sendable {
    /// The type's name on the wire.
    package let name: ByteString
    /// The kind of the type.
    package let kind: Kind
    /// The age rule; nil for never stale.
    package let age: AgeRule?
    /// Where `age` was set.
    package let source: RuleSource
    /// The fields that the type declares, in the order written, followed by fields that only its interfaces declare.
    package let fields: [FieldPolicy]
    /// The indices of `fields`, by name.
    private let indices: [ByteString: Int]

    /// Makes the rules of a type.
    ///
    /// - Parameter fields: The fields, each name once.
    package init(name: ByteString, kind: Kind, age: AgeRule?, source: RuleSource, fields: [FieldPolicy]) {
        self.name = name
        self.kind = kind
        self.age = age
        self.source = source
        self.fields = fields
        indices = Dictionary(uniqueKeysWithValues: zip(fields.map(\.name), fields.indices))
    }

    /// Returns the rules of a field; nil when the policy does not know it.
    ///
    /// - Complexity: O(name).
    package func field(_ name: ByteString) -> FieldPolicy? { indices[name].map { fields[$0] } }
}

extension TypePolicy {
    /// The kinds of types that have rules. The raw value is the keyword in a schema.
    package enum Kind: String, Hashable, Sendable {
        /// An object type.
        case object = "type"
        /// An interface.
        case interface
        /// A union.
        case union
    }
}
