/// One thing that is wrong with an executable document, where it is, and what to do about it.
///
/// - Source: Protocol/graphql.md, findings.
package struct DocumentFinding: Hashable, Sendable, CustomStringConvertible {
    package var rule: DocumentRule
    /// One sentence, on one line.
    package var message: String
    /// Counted from 1.
    package var line: Int
    /// Counted from 1, in Unicode scalars; see ``SourcePlace``.
    package var column: Int

    package init(_ rule: DocumentRule, _ message: String, at place: SourcePlace) {
        self.rule = rule
        self.message = message
        line = place.line
        column = place.column
    }

    /// `3:14: unknown_field: …`.
    package var description: String { "\(line):\(column): \(rule.rawValue): \(message)" }

    var place: SourcePlace { SourcePlace(line: line, column: column) }
}
