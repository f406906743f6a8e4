/// A policy's rules for one field of a type.
///
/// - Source: Protocol/policy.md, effective rules.
package struct FieldPolicy: Hashable, Sendable {
    /// The field's name on the wire.
    package var name: ByteString
    /// The type of the field's value.
    package var target: Target
    /// The age rule. nil gives a scalar the limit of its object, and a composite field the limit of its type.
    package var age: AgeRule?
    /// True if deleting the object deletes the entity that the field refers to. Only where the target is an object
    /// type.
    package var cascades: Bool
    /// Where `age` and `cascades` were set.
    package var source: RuleSource

    package init(name: ByteString, target: Target, age: AgeRule?, cascades: Bool, source: RuleSource) {
        self.name = name
        self.target = target
        self.age = age
        self.cascades = cascades
        self.source = source
    }
}

extension FieldPolicy {
    /// The type of a field's value, or of the elements of its list, without brackets and `!`.
    package enum Target: Hashable, Sendable {
        /// A scalar or an enum.
        case scalar(ByteString)
        /// An object, interface or union type.
        case composite(ByteString)

        /// The name of the type.
        package var typeName: ByteString {
            switch self {
            case .scalar(let name), .composite(let name): name
            }
        }
    }
}
