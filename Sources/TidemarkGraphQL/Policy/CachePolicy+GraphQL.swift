import TidemarkModel

extension CachePolicy {
    /// Reads a policy from GraphQL type definitions with `@cacheControl` directives.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.policy = try CachePolicy(graphQL: "type photo @cacheControl(maxAge: 3600) { name: String }")
    /// ```
    ///
    /// - Parameter document: The whole document; `CachePolicy(graphQL: bytes)` takes a file as it is.
    /// - Throws: ``GraphQLErrors``: the first thing that the grammar does not allow, or else everything that contradicts the
    ///   rules of policies, each with line and column.
    /// - Source: Protocol/policy.md.
    public init(graphQL document: String) throws(GraphQLErrors) {
        self = try CachePolicy.read(Array(document.utf8))
    }

    /// Reads a policy from a file of GraphQL type definitions with `@cacheControl` directives.
    ///
    /// - Parameter bytes: The whole document, UTF-8.
    /// - Throws: As the other one.
    public init(graphQL bytes: [UInt8]) throws(GraphQLErrors) {
        self = try CachePolicy.read(bytes)
    }
}
