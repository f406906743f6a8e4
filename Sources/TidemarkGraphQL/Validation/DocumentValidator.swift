import TidemarkModel

/// Checks an executable document, with a schema or without one, and lists everything that is wrong with it.
///
/// Sizes first, so that no later step can take for ever; then names, fragments and variables; then, with a schema,
/// types and values, and last the fields that have to merge.
///
/// - Complexity: O(document) but for the merging of fields, which ``ExecutableLimits/fieldPairCountMax`` bounds.
/// - Source: GraphQL, October 2021, section 5; Protocol/graphql.md, findings.
package struct DocumentValidator {
    /// The use for which a document is checked.
    package enum Purpose: Hashable, Sendable {
        /// Operations are run: there is one at least, and each fragment has a use.
        case operations
        /// Fragments are read or written by themselves.
        case fragments
    }

    let outline: DocumentOutline
    let schema: GraphQLSchema?
    let purpose: Purpose
    let limits: ExecutableLimits
    var findings: FindingList
    /// Uses of variables with the types that they are used as, by definition; only with a schema.
    var typedUses: [[VariableUse]]
    /// Uses that `typedUses` holds already.
    var notedUses: Set<UseKey> = []
    /// Definition whose selections are walked: an index of ``DocumentOutline/definitions``.
    var current = 0
    /// Pairs of types that were asked for an overlap, with the answer. Bound: the type conditions of the document.
    var overlaps: [TypePair: Bool] = [:]

    struct TypePair: Hashable {
        var left: SchemaTypeID
        var right: SchemaTypeID
    }

    private init(
        _ outline: DocumentOutline, schema: GraphQLSchema?, purpose: Purpose, limits: ExecutableLimits
    ) {
        self.outline = outline
        self.schema = schema
        self.purpose = purpose
        self.limits = limits
        findings = FindingList(countMax: limits.findingCountMax)
        typedUses = Array(repeating: [], count: outline.definitions.count)
    }

    /// Checks a document.
    ///
    /// - Parameter schema: nil where none is known: then only the rules that need none are checked.
    /// - Throws: ``DocumentRefusal``: `limit_exceeded`, or `invalid_document` with all findings up to the limit.
    package static func check(
        _ document: ExecutableDocument, schema: GraphQLSchema?, purpose: Purpose = .operations,
        limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentRefusal) {
        let outline = DocumentOutline(document)
        try outline.measure(limits)
        var validator = DocumentValidator(outline, schema: schema, purpose: purpose, limits: limits)
        validator.checkNames()
        let hasCycles = validator.checkFragments()
        validator.checkArgumentNames()
        validator.checkLabels()
        if let schema { validator.walk(schema) }
        if !hasCycles {
            validator.checkVariables()
            if let schema {
                var merging = FieldMerging(outline, schema, limits)
                try merging.check(into: &validator.findings)
            }
        }
        let findings = validator.findings.sorted()
        guard !findings.isEmpty else { return }
        let more = findings.count > 1 ? " The list holds \(findings.count) findings." : ""
        throw DocumentRefusal(
            .invalidDocument, "The document breaks the rules of GraphQL: \(findings[0].message)\(more)",
            findings: findings)
    }

    /// A name for a message, where it must not be long.
    static func excerpt(_ name: ByteString) -> String { DocumentParser.excerpt(name.description) }
}
