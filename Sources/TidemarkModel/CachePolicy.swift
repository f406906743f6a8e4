/// The age limits of cached data and the cascades of deletes, with a rule for every type and field.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.policy = CachePolicy([CachePolicy.Rules("photo", maxAge: 3_600)])
/// ```
///
/// A type or field that the policy does not know has no rule: it never expires, and no delete cascades to it.
///
/// A policy is made in code from ``Rules``, or read from GraphQL type definitions with `CachePolicy(graphQL:)` of the
/// module `TidemarkGraphQLLanguage`.
///
/// - Source: Protocol/policy.md.
public struct CachePolicy: Hashable, Sendable {
    /// The object, interface and union types, in the order in which they were defined.
    package let types: [TypePolicy]
    /// The indices of `types`, by name.
    private let indices: [ByteString: Int]
    /// The least age of anything in an object of a type, at any depth, in seconds. Types without one are left out.
    private let leastAges: [ByteString: Int]
    /// The least age of each field of an object that a read asks for directly, in seconds. Fields without an age are
    /// nil; fields that are not listed have the age of the type.
    private var leastFieldAges: [ByteString: [ByteString: Int?]] = [:]

    /// Makes a policy without rules: nothing expires, and no delete cascades.
    public init() { self.init(types: []) }

    /// - Parameter types: The types, each name once; empty for a policy without rules.
    package init(types: [TypePolicy]) {
        self.types = types
        indices = Dictionary(uniqueKeysWithValues: zip(types.map(\.name), types.indices))
        leastAges = CachePolicy.leastAges(of: types)
        for type in types {
            leastFieldAges[type.name] = Dictionary(
                uniqueKeysWithValues: type.fields.map { ($0.name, leastAge(of: $0, in: type.name, OperationAges())) })
        }
    }

    /// Returns the rules of a type; nil when the policy does not know it.
    ///
    /// - Complexity: O(name).
    package func type(_ name: ByteString) -> TypePolicy? { indices[name].map { types[$0] } }

    /// Returns the least age at which anything in an object of a type can be too old for a read, in seconds; nil for
    /// never.
    ///
    /// - Complexity: O(name + ages of the operation).
    package func leastAge(of type: ByteString, operation: OperationAges) -> Int? {
        guard let operation = operation.least else { return leastAges[type] }
        return min(operation, leastAges[type] ?? operation)
    }

    /// Returns the least age at which a field, or anything nested in it, can be too old for a read that asks for its
    /// object directly, in seconds; nil for never.
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

    /// Returns the rules of a field; nil when the policy does not know the type or the field.
    ///
    /// - Complexity: O(names).
    package func field(_ name: ByteString, of type: ByteString) -> FieldPolicy? { self.type(type)?.field(name) }
}
