/// The rules of a policy for one type and its fields.
///
/// - Source: Protocol/policy.md, effective rules.
package struct TypePolicy: Hashable, Sendable {
    /// The type's name on the wire.
    package let name: ByteString
    package let kind: Kind
    /// The age rule; nil: never stale.
    package let age: AgeRule?
    /// The source of `age`.
    package let source: RuleSource
    /// The fields that the type declares, in the order written, then the fields that only its interfaces declare.
    package let fields: [FieldPolicy]
    /// The indices of `fields`, by name.
    private let indices: [ByteString: Int]

    /// - Parameter fields: The fields, each name once.
    package init(name: ByteString, kind: Kind, age: AgeRule?, source: RuleSource, fields: [FieldPolicy]) {
        self.name = name
        self.kind = kind
        self.age = age
        self.source = source
        self.fields = fields
        indices = Dictionary(uniqueKeysWithValues: zip(fields.map(\.name), fields.indices))
    }

    /// - Returns: nil for a field that the policy does not know.
    /// - Complexity: O(name).
    package func field(_ name: ByteString) -> FieldPolicy? { indices[name].map { fields[$0] } }
}

extension TypePolicy {
    /// The kinds of types that have rules; the raw value is the word in a document.
    package enum Kind: String, Hashable, Sendable {
        case object = "type"
        case interface
        case union
    }
}
