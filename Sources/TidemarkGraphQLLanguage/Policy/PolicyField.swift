import TidemarkModel

/// A field while a policy is being read.
struct PolicyField {
    var name: Name
    /// The name of the type inside all lists.
    var typeName: Name
    /// The rule on the field itself, or on its type with `@cacheControlField`; nil if there is none.
    var own: CacheControl?
}
