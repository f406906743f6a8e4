import TidemarkModel

extension CachePolicy {
    /// Reads a policy from a document of type definitions.
    ///
    /// - Parameter bytes: The whole document in UTF-8.
    /// - Throws: The first error in the grammar; or, if the grammar is correct, all violations of the rules of
    ///   policies.
    /// - Complexity: O(bytes), and for each type the fields of its interfaces.
    /// - Source: Protocol/policy.md.
    package static func read(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(GraphQLErrors) -> CachePolicy {
        let document: Document
        do throws(GraphQLError) {
            document = try DocumentParser.parse(bytes, limits: limits)
        } catch {
            throw GraphQLErrors(error)
        }
        let policy = try PolicyReader.read(document, limits: limits)
        // The same file may have rules of identity, and a check of the file reports their errors, too.
        _ = try IdentityRules.read(document)
        return policy
    }
}
