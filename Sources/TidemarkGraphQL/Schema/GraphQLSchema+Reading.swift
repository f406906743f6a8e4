import TidemarkModel

extension GraphQLSchema {
    /// Reads a schema from a file of type definitions.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, UTF-8. Bounds as of policies: ``DocumentLimits``.
    ///   - policy: Rules of identity from another file: a policy. They stand above those of the schema's own file.
    /// - Throws: ``GraphQLErrors``: the first thing that the grammar does not allow, or else everything that
    ///   contradicts the rules of schemas, each with line and column.
    /// - Source: Protocol/graphql.md, schemas.
    package static func read(
        _ bytes: [UInt8], policy: IdentityRules = IdentityRules(), limits: DocumentLimits = DocumentLimits()
    ) throws(GraphQLErrors) -> GraphQLSchema {
        let document: Document
        do throws(GraphQLError) {
            document = try DocumentParser.parse(bytes, limits: limits)
        } catch {
            throw GraphQLErrors(error)
        }
        return try read(document, policy: policy)
    }

    /// Reads a schema from a parsed document; see the function that takes bytes.
    package static func read(
        _ document: Document, policy: IdentityRules = IdentityRules()
    ) throws(GraphQLErrors) -> GraphQLSchema {
        var schema = try SchemaReader.read(document)
        schema.identity = try IdentityRules.read(document).overruled(by: policy)
        try schema.handDownKeys()
        return schema
    }
}
