/// The reason why a document, or a request for one of its operations, is refused.
///
/// - Source: Protocol/graphql.md, findings and limits.
package struct DocumentRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kinds of refusals; the raw value is the code that people and scripts see.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The document breaks the rules that ``DocumentRefusal/findings`` name.
        case invalidDocument = "invalid_document"
        /// A limit of ``ExecutableLimits`` was passed.
        case limitExceeded = "limit_exceeded"
        /// The document is fine, and the request is not: its operation name or its variables.
        case invalidParams = "invalid_params"
    }

    package var code: Code
    /// One sentence that says what to do.
    package var message: String
    /// The findings by their places, at most ``ExecutableLimits/findingCountMax``. Empty unless the code is
    /// ``Code/invalidDocument``.
    package var findings: [DocumentFinding]

    package init(_ code: Code, _ message: String, findings: [DocumentFinding] = []) {
        self.code = code
        self.message = message
        self.findings = findings
    }

    /// A refusal for one finding.
    package init(_ finding: DocumentFinding) {
        self.init(.invalidDocument, finding.message, findings: [finding])
    }

    /// A refusal for an error of the grammar or of a limit.
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

    package var description: String { ([message] + findings.map(\.description)).joined(separator: "\n") }
}
