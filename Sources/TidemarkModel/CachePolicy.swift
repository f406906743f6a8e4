/// How old what is cached may be, and what is deleted with what: a rule for every type and field.
///
/// A type or field that the policy does not know has no rule: it never expires, and nothing is deleted with it.
///
/// Made in code from ``Rules``, or read from GraphQL type definitions (`CachePolicy(graphQL:)` of the module `TidemarkGraphQL`).
///
/// - Source: Protocol/policy.md.
public struct CachePolicy: Hashable, Sendable {
    /// Object, interface and union types, in the order they were defined.
    package let types: [TypePolicy]
    /// Names to indices of `types`.
    private let indices: [ByteString: Int]
    /// The least age, in seconds, that the policy gives anything in an object of a type, as deep as it goes. Types without one are
    /// left out.
    private let leastAges: [ByteString: Int]
    /// The same of each field of an object that a read asks for by itself. Fields that have none are nil; fields that are not named have
    /// the type's.
    private var leastFieldAges: [ByteString: [ByteString: Int?]] = [:]

    /// Without a rule: nothing expires, and nothing is deleted along.
    public init() { self.init(types: []) }

    /// - Parameter types: No two of one name; empty for a policy without a rule.
    package init(types: [TypePolicy]) {
        self.types = types
        indices = Dictionary(uniqueKeysWithValues: zip(types.map(\.name), types.indices))
        leastAges = CachePolicy.leastAges(of: types)
        for type in types {
            leastFieldAges[type.name] = Dictionary(
                uniqueKeysWithValues: type.fields.map { ($0.name, leastAge(of: $0, in: type.name, OperationAges())) })
        }
    }

    /// - Returns: nil for a type that the policy does not know.
    /// - Complexity: O(name).
    package func type(_ name: ByteString) -> TypePolicy? { indices[name].map { types[$0] } }

    /// What is younger than this, in seconds, is too old in no read of an object of a type; nil: nothing ever is.
    ///
    /// - Complexity: O(name + ages of the operation).
    package func leastAge(of type: ByteString, operation: OperationAges) -> Int? {
        guard let operation = operation.least else { return leastAges[type] }
        return min(operation, leastAges[type] ?? operation)
    }

    /// A field that is younger than this, in seconds, is not too old in a read that asks for its object by itself, whatever is nested in
    /// it; nil: it never is.
    ///
    /// - Complexity: O(names + ages of the operation).
    package func leastAge(ofField field: ByteString, in type: ByteString, operation: OperationAges) -> Int? {
        if operation.isEmpty, let known = leastFieldAges[type]?[field] { return known }
        guard let rule = self.field(field, of: type) else {
            return limit(
                of: field, in: type, reachedWith: rootLimit(of: type, operation: operation), operation: operation
            )
            .seconds
        }
        return leastAge(of: rule, in: type, operation)
    }

    private func leastAge(of field: FieldPolicy, in type: ByteString, _ operation: OperationAges) -> Int? {
        let root = rootLimit(of: type, operation: operation)
        let own = limit(of: field.name, in: type, reachedWith: root, operation: operation).seconds
        guard case .composite(let target) = field.target, let nested = leastAge(of: target, operation: operation) else {
            return own
        }
        return min(nested, own ?? nested)
    }

    /// - Returns: nil for a type or field that the policy does not know.
    /// - Complexity: O(names).
    package func field(_ name: ByteString, of type: ByteString) -> FieldPolicy? { self.type(type)?.field(name) }
}
