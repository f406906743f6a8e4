/// Why a document, or a request for one of its operations, is refused.
///
/// - Source: Protocol/graphql.md, findings and limits.
package struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of refusals. The raw value is the code that people and scripts see.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The document breaks the rules named in ``DocumentError/findings``.
        case invalidDocument = "invalid_document"
        /// The document exceeds a limit of ``ExecutableLimits``.
        case limitExceeded = "limit_exceeded"
        /// The document is valid, but the request's operation name or variables are not.
        case invalidParams = "invalid_params"
    }

    /// The kind of the refusal.
    package var code: Code
    /// One sentence that says what to do.
    package var message: String
    /// The findings ordered by place, at most ``ExecutableLimits/findingCountMax``. Empty unless the code is
    /// ``Code/invalidDocument``.
    package var findings: [DocumentFinding]

    /// Creates a refusal.
    package init(_ code: Code, _ message: String, findings: [DocumentFinding] = []) {
        self.code = code
        self.message = message
        self.findings = findings
    }

    /// Creates a refusal for one finding.
    package init(_ finding: DocumentFinding) {
        self.init(.invalidDocument, finding.message, findings: [finding])
    }

    /// Creates a refusal for an error in the grammar, or for an exceeded limit.
    package init(syntax error: GraphQLError) {
        switch error.code {
        case .documentTooLong, .tooDeep, .tooManyDefinitions, .tooManyMembers, .nameTooLong:
            self.init(
                .limitExceeded, "The document holds \(error.message), at line \(error.line), column \(error.column).")
        default:
            self.init(
                DocumentFinding(.syntax, error.message, at: SourcePlace(line: error.line, column: error.column)))
        }
    }

    /// The message, and the findings on one line each.
    package var description: String { ([message] + findings.map(\.description)).joined(separator: "\n") }
}
