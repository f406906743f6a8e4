import TidemarkModel

/// A document in the form that the server gets: without local directives, and with the fields that identify entities.
///
/// Local directives are removed, together with variables that nothing else uses. `__typename` is added to every
/// selection set except the operation's own, and key fields wherever the schema has them. Additions are marked with
/// ``Field/isAdded`` and ``InlineFragment/isAdded``, so that they never appear in `data`.
///
/// - Source: Protocol/graphql.md, sending.
package struct OutgoingDocument: Hashable, Sendable {
    /// The document to send. Added selections have no place.
    package let document: ExecutableDocument
    /// The original document with the same additions and its local directives. Responses are read with it.
    package let annotated: ExecutableDocument

    /// Converts a document.
    ///
    /// - Parameters:
    ///   - document: A document without findings of ``DocumentValidator``.
    ///   - schema: The server's schema; if nil, no key fields are added.
    ///   - limits: The limits of documents.
    /// - Throws: ``DocumentError`` `limitExceeded` if too many selections would have to be added.
    /// - Complexity: O(fields with fragments spread), and for each set on an interface or a union its possible types.
    package init(
        _ document: ExecutableDocument, schema: GraphQLSchema?, limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentError) {
        let stripped = document.usesLocalDirectives ? document.withoutLocalDirectives : nil
        var planner = AdditionPlanner(DocumentOutline(stripped ?? document), schema, limits)
        let additions = try planner.plan()
        var annotator = AdditionWriter(additions)
        annotated = annotator.write(document)
        // Directives change neither the number of selection sets nor their order.
        var writer = AdditionWriter(additions)
        self.document = stripped.map { writer.write($0) } ?? annotated
    }

    /// Returns the variables that only removed directives used, by operation. Operations without any are absent.
    ///
    /// - Parameter written: The original document.
    package func removedVariables(of written: ExecutableDocument) -> [ByteString?: Set<ByteString>] {
        var removed: [ByteString?: Set<ByteString>] = [:]
        for (before, after) in zip(written.operations, document.operations) {
            let names = Set(before.variables.map(\.name.text)).subtracting(after.variables.map(\.name.text))
            if !names.isEmpty { removed[before.name?.text] = names }
        }
        return removed
    }

    /// Returns the text to send.
    package func text(style: DocumentPrinter.Style = .canonical) -> [UInt8] {
        DocumentPrinter.text(of: document, style: style)
    }
}
