import TidemarkModel

extension ExecutableDocument {
    /// The operation that a request asks for.
    ///
    /// - Parameter name: nil or empty when the request names none.
    /// - Throws: ``DocumentRefusal``: `invalid_document` when several operations could be meant, or there is none;
    ///   `invalid_params` when none has that name.
    /// - Source: GraphQL, October 2021, section 6.1, GetOperation; Protocol/graphql.md, findings.
    package func operation(named name: ByteString?) throws(DocumentRefusal) -> OperationDefinition {
        let operations = operations
        guard let name, !name.bytes.isEmpty else {
            guard let first = operations.first else {
                throw DocumentRefusal(
                    DocumentFinding(
                        .noOperation, "The document has no operation; add a query, a mutation or a subscription.",
                        at: SourcePlace(line: 1, column: 1)))
            }
            guard operations.count == 1 else {
                throw DocumentRefusal(
                    DocumentFinding(
                        .ambiguousOperation,
                        "The document has \(operations.count) operations; name one of them with operation_name.",
                        at: operations[1].place))
            }
            return first
        }
        guard let operation = operations.first(where: { $0.name?.text == name }) else {
            throw DocumentRefusal(
                .invalidParams,
                "The document has no operation \(DocumentValidator.excerpt(name)); pass the name of one that it has.")
        }
        return operation
    }
}
