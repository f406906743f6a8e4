import TidemarkModel

/// The identity of the objects of one type, and the way in which their events are applied: `@typePolicy`.
///
/// - Source: Protocol/graphql.md, identity.
package struct TypeIdentity: Hashable, Sendable {
    /// Fields whose values make the key, in their order; nil when nothing says so and `id` is the key field.
    package var keyFields: [ByteString]?
    /// `events: MERGE`: an event merges into the entity where it would replace it; nil when nothing says so.
    package var mergesEvents: Bool?

    /// The rules of `self`, and of `other` where `self` has none.
    func filled(from other: TypeIdentity) -> TypeIdentity {
        TypeIdentity(keyFields: keyFields ?? other.keyFields, mergesEvents: mergesEvents ?? other.mergesEvents)
    }
}

/// A field that can be answered without having been asked before: `@fieldPolicy`.
///
/// - Source: Protocol/graphql.md, identity.
package struct FieldLookup: Hashable, Sendable {
    package var field: ByteString
    /// Arguments whose values make the key of the entity that the field holds, in their order.
    package var keyArguments: [ByteString]?
    /// The rule of a list that grows: a constant object with `where` and `order`.
    package var membership: Value?
}
