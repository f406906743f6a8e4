/// What a policy says of one type and its fields.
///
/// - Source: Protocol/policy.md, effective rules.
package struct TypePolicy: Hashable, Sendable {
    /// As on the wire.
    package let name: ByteString
    package let kind: Kind
    /// nil: never stale.
    package let age: AgeRule?
    /// Of `age`.
    package let source: RuleSource
    /// Those that the type declares, in the order written, then those that only its interfaces declare.
    package let fields: [FieldPolicy]
    /// Names to indices of `fields`.
    private let indices: [ByteString: Int]

    /// - Parameter fields: No two of one name.
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
