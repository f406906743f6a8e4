import TidemarkModel

extension GraphQLSchema {
    /// Reads a schema from a file of type definitions.
    ///
    /// - Parameters:
    ///   - bytes: The whole file in UTF-8.
    ///   - policy: The rules of identity in a policy file, which override those of the schema's own file.
    ///   - limits: The limits of the file.
    /// - Throws: ``GraphQLErrors``, each with line and column: the first error in the grammar; or else all violations
    ///   of the rules of schemas.
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

    /// Reads a schema from a parsed document; see ``read(_:policy:limits:)``.
    package static func read(
        _ document: Document, policy: IdentityRules = IdentityRules()
    ) throws(GraphQLErrors) -> GraphQLSchema {
        var schema = try SchemaReader.read(document)
        schema.identity = try IdentityRules.read(document).overruled(by: policy)
        try schema.handDownKeys()
        return schema
    }
}
