import TidemarkModel

/// A field during the reading of a policy.
struct PolicyField {
    var name: Name
    /// The name of the type inside all lists.
    var typeName: Name
    /// The rule on the field itself, or on its type with `@cacheControlField`; nil when there is none.
    var own: CacheControl?
}
