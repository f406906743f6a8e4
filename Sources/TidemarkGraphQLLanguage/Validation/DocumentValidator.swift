import TidemarkModel

/// Checks an executable document, with or without a schema, and lists all errors in it.
///
/// It checks sizes first, so that no later step can take too long; then names, fragments and variables; then, with a
/// schema, types and values; and last whether fields can be merged.
///
/// - Complexity: O(document), except for the merging of fields, which ``ExecutableLimits/fieldPairCountMax`` bounds.
/// - Source: GraphQL, October 2021, section 5; Protocol/graphql.md, findings.
package struct DocumentValidator {
    /// What a document is checked for.
    package enum Purpose: Hashable, Sendable {
        /// Its operations are run: there is at least one, and every fragment is used.
        case operations
        /// Its fragments are read or written on their own.
        case fragments
    }

    let outline: DocumentOutline
    let schema: GraphQLSchema?
    let purpose: Purpose
    let limits: ExecutableLimits
    var findings: FindingList
    /// The uses of variables with the expected types, by definition. Only with a schema.
    var typedUses: [[VariableUse]]
    /// The uses that are already in `typedUses`.
    var notedUses: Set<UseKey> = []
    /// The definition being checked, as an index into ``DocumentOutline/definitions``.
    var current = 0
    /// The pairs of types whose overlap has been computed. Bounded by the type conditions of the document.
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
    /// - Parameter schema: The server's schema; if nil, only the rules that need none are checked.
    /// - Throws: ``DocumentError``: `limitExceeded`, or `invalidDocument` with all findings up to the limit.
    package static func check(
        _ document: ExecutableDocument, schema: GraphQLSchema?, purpose: Purpose = .operations,
        limits: ExecutableLimits = ExecutableLimits()
    ) throws(DocumentError) {
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
        throw DocumentError(
            .invalidDocument, "The document breaks the rules of GraphQL: \(findings[0].message)\(more)",
            findings: findings)
    }

    /// Returns a name for a message, shortened if it is long.
    static func excerpt(_ name: ByteString) -> String { DocumentParser.excerpt(name.description) }
}
