import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// A document that was parsed and checked, ready to be planned, sent, written and read.
///
/// - Source: Protocol/graphql.md, documents.
package struct GraphDocument: Sendable {
    /// The document as it was written.
    package let document: ExecutableDocument
    /// The same with the selections that tell entities apart.
    let annotated: ExecutableDocument
    private let outgoing: OutgoingDocument
    /// The text that a server is sent. Printed when it is asked for: most documents are read from the cache.
    package var sent: [UInt8] { outgoing.text() }
    /// The variables that only removed directives used, by operation. Operations without any are not here.
    private let unsentVariables: [ByteString?: Set<ByteString>]
    /// Whether `@connection` names a field's place in the store.
    let hasConnections: Bool
    package let rules: GraphRules

    /// - Parameter purpose: Whether operations are run, or fragments are read and written by themselves.
    /// - Throws: ``DocumentRefusal``.
    package init(
        _ text: [UInt8], rules: GraphRules, purpose: DocumentValidator.Purpose = .operations,
        limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentRefusal) {
        document = try DocumentParser.parseExecutable(text, limits: limits)
        try DocumentValidator.check(document, schema: rules.schema, purpose: purpose, limits: limits)
        outgoing = try OutgoingDocument(document, schema: rules.schema, limits: limits)
        annotated = outgoing.annotated
        unsentVariables = outgoing.removedVariables(of: document)
        hasConnections = document.usesConnections
        self.rules = rules
    }

    /// Returns the variables that a server is sent.
    ///
    /// - Parameter variables: One JSON object that was checked; nil counts as an empty one.
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

    /// The operation that a request asks for.
    package func operation(_ name: ByteString?) throws(DocumentRefusal) -> OperationDefinition {
        try document.operation(named: name)
    }

    /// Plans an operation.
    ///
    /// - Parameter variables: One JSON object; nil counts as an empty one.
    /// - Throws: ``DocumentRefusal`` for a name or variables that cannot be used.
    package func plan(operation name: ByteString?, variables: [UInt8]?) throws(DocumentRefusal) -> OperationPlan {
        let operation = try annotated.operation(named: name)
        let values = try OperationVariables.read(variables, of: operation, schema: rules.schema)
        return PlanBuilder.plan(operation, of: annotated, variables: values, rules: rules)
    }

    /// Plans a fragment.
    ///
    /// - Parameter name: nil when the document has one fragment.
    /// - Throws: ``DocumentRefusal`` `invalid_params` for a fragment that is not there.
    package func plan(fragment name: ByteString?, variables: [UInt8]?) throws(DocumentRefusal) -> OperationPlan {
        let fragments = annotated.fragments
        let found = name.map { name in fragments.filter { $0.name.text == name } } ?? fragments
        guard let fragment = found.first, name != nil || found.count == 1 else {
            throw DocumentRefusal(
                .invalidParams,
                name == nil
                    ? "The document has \(fragments.count) fragments; say with fragment which one is meant."
                    : "The document has no fragment of that name; pass the name of one that it has.")
        }
        // A fragment declares no variables: those that are given are used as they are.
        let values = try FragmentVariables.read(variables)
        return PlanBuilder.plan(fragment, of: annotated, variables: values, rules: rules)
    }
}

/// Variables of a fragment that is read by itself.
enum FragmentVariables {
    static func read(_ json: [UInt8]?) throws(DocumentRefusal) -> OperationVariables {
        guard let json else { return OperationVariables(given: [:], coerced: [:]) }
        do throws(InputValueError) {
            if case .object(let members) = try InputValueReader.read(json) {
                return OperationVariables(given: members, coerced: members)
            }
        } catch {
            throw DocumentRefusal(.invalidParams, "The variables are no JSON at byte \(error.offset); pass one object.")
        }
        throw DocumentRefusal(.invalidParams, "The variables are no object; pass one JSON object.")
    }
}
