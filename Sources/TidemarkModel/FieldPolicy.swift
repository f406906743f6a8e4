/// The rules of a policy for one field of a type.
///
/// - Source: Protocol/policy.md, effective rules.
package struct FieldPolicy: Hashable, Sendable {
    /// The field's name on the wire.
    package var name: ByteString
    package var target: Target
    /// The age rule; nil: a scalar has the limit of its object, a composite field the limit of its type.
    package var age: AgeRule?
    /// Whether deleting the object deletes the entity that the field refers to. Only where the target is an object
    /// type.
    package var cascades: Bool
    /// The source of `age` and `cascades`.
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
    /// The type of a field's value or of the elements of its list: the type's name without brackets and `!`.
    package enum Target: Hashable, Sendable {
        /// A scalar or an enum.
        case scalar(ByteString)
        /// An object, interface or union type.
        case composite(ByteString)

        package var typeName: ByteString {
            switch self {
            case .scalar(let name), .composite(let name): name
            }
        }
    }
}
