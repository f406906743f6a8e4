/// What a policy says of one field of a type.
///
/// - Source: Protocol/policy.md, effective rules.
package struct FieldPolicy: Hashable, Sendable {
    /// As on the wire.
    package var name: ByteString
    package var target: Target
    /// nil: a scalar is as old as its object may be, a composite field as its type says.
    package var age: AgeRule?
    /// Deleting the object deletes what the field refers to. Only where the target is an object type.
    package var cascades: Bool
    /// Of `age` and `cascades`.
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
    /// What a field holds, one or a list of it: the type's name, without brackets and `!`.
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
