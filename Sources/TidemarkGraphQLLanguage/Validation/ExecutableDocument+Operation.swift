import TidemarkModel

extension ExecutableDocument {
    /// Returns the operation that a request means.
    ///
    /// - Parameter name: The name in the request; nil or empty if it has none.
    /// - Throws: ``DocumentError``: `invalidDocument` if there is no operation, or the name is missing and there are
    ///   several; `invalidParams` if no operation has the name.
    /// - Source: GraphQL, October 2021, section 6.1, GetOperation; Protocol/graphql.md, findings.
    package func operation(named name: ByteString?) throws(DocumentError) -> OperationDefinition {
        let operations = operations
        guard let name, !name.bytes.isEmpty else {
            guard let first = operations.first else {
                throw DocumentError(
                    DocumentFinding(
                        .noOperation, "The document has no operation; add a query, a mutation or a subscription.",
                        at: SourcePlace(line: 1, column: 1)))
            }
            guard operations.count == 1 else {
                throw DocumentError(
                    DocumentFinding(
                        .ambiguousOperation,
                        "The document has \(operations.count) operations; name one of them with operation_name.",
                        at: operations[1].place))
            }
            return first
        }
        guard let operation = operations.first(where: { $0.name?.text == name }) else {
            throw DocumentError(
                .invalidParams,
                "The document has no operation \(DocumentValidator.excerpt(name)); pass the name of one that it has.")
        }
        return operation
    }
}
