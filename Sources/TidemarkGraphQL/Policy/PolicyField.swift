import TidemarkModel

/// A field while a policy is read.
struct PolicyField {
    var name: Name
    /// Inside all lists.
    var typeName: Name
    /// On the field itself, or from outside with `@cacheControlField`.
    var own: CacheControl?
}
