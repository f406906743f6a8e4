/// An error in an executable document: what is wrong, where it is, and what to do about it.
///
/// - Source: Protocol/graphql.md, findings.
package struct DocumentFinding: Hashable, Sendable, CustomStringConvertible {
    /// The rule that is broken.
    package var rule: DocumentRule
    /// One sentence, on one line.
    package var message: String
    /// The number of the line, from 1.
    package var line: Int
    /// The number of the column, from 1, in Unicode scalars; see ``SourcePlace``.
    package var column: Int

    /// Creates a finding.
    package init(_ rule: DocumentRule, _ message: String, at place: SourcePlace) {
        self.rule = rule
        self.message = message
        line = place.line
        column = place.column
    }

    /// The finding in one line, such as `3:14: unknown_field: …`.
    package var description: String { "\(line):\(column): \(rule.rawValue): \(message)" }

    var place: SourcePlace { SourcePlace(line: line, column: column) }
}
