import TidemarkModel

extension CachePolicy {
    /// Reads a policy from GraphQL type definitions with `@cacheControl` directives.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.policy = try CachePolicy(graphQL: "type photo @cacheControl(maxAge: 3600) { name: String }")
    /// ```
    ///
    /// - Parameter document: The whole document as text. Another initializer takes the bytes of a file.
    /// - Throws: ``GraphQLErrors``, each with line and column: the first error in the grammar; or, if the grammar is
    ///   correct, all violations of the rules of policies.
    /// - Source: Protocol/policy.md.
    public init(graphQL document: String) throws(GraphQLErrors) {
        self = try CachePolicy.read(Array(document.utf8))
    }

    /// Reads a policy from a file of GraphQL type definitions with `@cacheControl` directives.
    ///
    /// - Parameter bytes: The whole document in UTF-8.
    /// - Throws: ``GraphQLErrors``, each with line and column: the first error in the grammar; or, if the grammar is
    ///   correct, all violations of the rules of policies.
    public init(graphQL bytes: [UInt8]) throws(GraphQLErrors) {
        self = try CachePolicy.read(bytes)
    }
}
