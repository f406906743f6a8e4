import TidemarkModel

/// A document as it is sent to a server: without local directives, and with what tells entities apart.
///
/// Local directives go, and variables that nothing else used with them. `__typename` comes into every selection set but
/// the operation's own, and key fields come where the schema knows them. Additions carry a mark, ``Field/isAdded`` and
/// ``InlineFragment/isAdded``, so that they never show in `data`: whoever reads an answer for `data` walks the document
/// as it was written.
///
/// - Source: Protocol/graphql.md, sending.
package struct OutgoingDocument: Hashable, Sendable {
    /// Added selections have no place.
    package let document: ExecutableDocument
    /// The document as it was written, local directives included, with the same additions: what answers are read with.
    package let annotated: ExecutableDocument

    /// - Parameters:
    ///   - document: One that ``DocumentValidator`` found nothing wrong with.
    ///   - schema: nil where none is known: then no key field is added.
    /// - Throws: ``DocumentRefusal`` `limit_exceeded` when more would have to be added than may be.
    /// - Complexity: O(fields with fragments spread), and for each set on an interface or a union its possible types.
    package init(
        _ document: ExecutableDocument, schema: GraphQLSchema?, limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentRefusal) {
        let stripped = document.usesLocalDirectives ? document.withoutLocalDirectives : nil
        var planner = AdditionPlanner(DocumentOutline(stripped ?? document), schema, limits)
        let additions = try planner.plan()
        var annotator = AdditionWriter(additions)
        annotated = annotator.write(document)
        // Directives change neither the number of selection sets nor their order.
        var writer = AdditionWriter(additions)
        self.document = stripped.map { writer.write($0) } ?? annotated
    }

    /// Returns the variables that only removed directives used, by operation; operations without any are left out.
    ///
    /// - Parameter written: The document that this one was made of.
    package func removedVariables(of written: ExecutableDocument) -> [ByteString?: Set<ByteString>] {
        var removed: [ByteString?: Set<ByteString>] = [:]
        for (before, after) in zip(written.operations, document.operations) {
            let names = Set(before.variables.map(\.name.text)).subtracting(after.variables.map(\.name.text))
            if !names.isEmpty { removed[before.name?.text] = names }
        }
        return removed
    }

    /// The text that is sent.
    package func text(style: DocumentPrinter.Style = .canonical) -> [UInt8] {
        DocumentPrinter.text(of: document, style: style)
    }
}
