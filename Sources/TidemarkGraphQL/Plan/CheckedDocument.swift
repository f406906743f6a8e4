import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// A parsed and checked document, ready to be planned, sent, written and read.
///
/// - Source: Protocol/graphql.md, documents.
package struct CheckedDocument: Sendable {
    /// The document as it was written.
    package let document: ExecutableDocument
    /// The document with the added selections that identify entities.
    let annotated: ExecutableDocument
    private let outgoing: OutgoingDocument
    /// The text that the server gets. It is printed on demand, because most documents are read from the cache.
    package var sent: [UInt8] { outgoing.text() }
    /// The variables that only removed directives used, by operation. Operations without any are absent.
    private let unsentVariables: [ByteString?: Set<ByteString>]
    /// True if `@connection` names the storage place of a field.
    let hasConnections: Bool
    /// The schema, identities and policy under which the document was checked.
    package let rules: GraphQLRules

    /// Parses and checks a document.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - rules: The schema, identities and policy.
    ///   - purpose: Whether the document's operations are run, or its fragments are read and written on their own.
    ///   - limits: The limits of documents.
    /// - Throws: ``DocumentError``.
    package init(
        _ text: [UInt8], rules: GraphQLRules, purpose: DocumentValidator.Purpose = .operations,
        limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentError) {
        document = try DocumentParser.parseExecutable(text, limits: limits)
        try DocumentValidator.check(document, schema: rules.schema, purpose: purpose, limits: limits)
        outgoing = try OutgoingDocument(document, schema: rules.schema, limits: limits)
        annotated = outgoing.annotated
        unsentVariables = outgoing.removedVariables(of: document)
        hasConnections = document.usesConnections
        self.rules = rules
    }

    /// Returns the variables that the server gets.
    ///
    /// - Parameter variables: One valid JSON object; nil counts as an empty one.
    package func sentVariables(operation name: ByteString?, _ variables: ByteString?) -> ByteString {
        guard let variables else { return "{}" }
        let isNamed = name.map { !$0.bytes.isEmpty } ?? false
        let unsent = isNamed ? unsentVariables[name] : unsentVariables.first?.value
        guard let unsent else { return variables }
        return JSONSlice(validated: variables.bytes[...]).bytes.withUnsafeBytes { bytes in
            let kept = JSONObject.fieldNames(of: bytes).filter { !unsent.contains($0) }.map(\.bytes)
            return ByteString(JSONObject.selection(of: bytes, fields: Set(kept)))
        }
    }

    /// Returns the operation that a request means.
    package func operation(_ name: ByteString?) throws(DocumentError) -> OperationDefinition {
        try document.operation(named: name)
    }

    /// Returns the plan of an operation.
    ///
    /// - Parameter variables: One JSON object; nil counts as an empty one.
    /// - Throws: ``DocumentError`` for an unknown name or invalid variables.
    package func plan(operation name: ByteString?, variables: [UInt8]?) throws(DocumentError) -> OperationPlan {
        let operation = try annotated.operation(named: name)
        let values = try OperationVariables.read(variables, of: operation, schema: rules.schema)
        return PlanBuilder.plan(operation, of: annotated, variables: values, rules: rules)
    }

    /// Returns the plan of a fragment.
    ///
    /// - Parameter name: The name of the fragment; nil if the document has only one.
    /// - Throws: ``DocumentError`` `invalidParams` for an unknown fragment.
    package func plan(fragment name: ByteString?, variables: [UInt8]?) throws(DocumentError) -> OperationPlan {
        let fragments = annotated.fragments
        let found = name.map { name in fragments.filter { $0.name.text == name } } ?? fragments
        guard let fragment = found.first, name != nil || found.count == 1 else {
            throw DocumentError(
                .invalidParams,
                name == nil
                    ? "The document has \(fragments.count) fragments; say with fragment which one is meant."
                    : "The document has no fragment of that name; pass the name of one that it has.")
        }
        // A fragment declares no variables, so the given ones are used without coercion.
        let values = try FragmentVariables.read(variables)
        return PlanBuilder.plan(fragment, of: annotated, variables: values, rules: rules)
    }
}

/// Reads the variables of a fragment that is read on its own.
enum FragmentVariables {
    static func read(_ json: [UInt8]?) throws(DocumentError) -> OperationVariables {
        guard let json else { return OperationVariables(given: [:], coerced: [:]) }
        do throws(InputValueError) {
            if case .object(let members) = try InputValueReader.read(json) {
                return OperationVariables(given: members, coerced: members)
            }
        } catch {
            throw DocumentError(.invalidParams, "The variables are no JSON at byte \(error.offset); pass one object.")
        }
        throw DocumentError(.invalidParams, "The variables are no object; pass one JSON object.")
    }
}
