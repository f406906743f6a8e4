import TidemarkModel

/// How objects of a type are identified and how their events are applied: `@typePolicy`.
///
/// - Source: Protocol/graphql.md, identity.
package struct TypeIdentity: Hashable, Sendable {
    /// The fields whose values make the key, in their order; nil without a rule, in which case `id` is the key field.
    package var keyFields: [ByteString]?
    /// True for `events: MERGE`: an event merges into the entity instead of replacing it. nil without a rule.
    package var mergesEvents: Bool?

    /// Returns these rules, completed by those of `other`.
    func filled(from other: TypeIdentity) -> TypeIdentity {
        TypeIdentity(keyFields: keyFields ?? other.keyFields, mergesEvents: mergesEvents ?? other.mergesEvents)
    }
}

/// A root field whose value can be found without having been fetched before: `@fieldPolicy`.
///
/// - Source: Protocol/graphql.md, identity.
package struct FieldLookup: Hashable, Sendable {
    /// The name of the field.
    package var field: ByteString
    /// The arguments whose values make the key of the entity in the field, in their order; nil if there are none.
    package var keyArguments: [ByteString]?
    /// The rule that maintains the field's list, as a constant object with `where` and `order`; nil if there is none.
    package var membership: Value?
}
