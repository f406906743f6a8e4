/// An error in the generator's input, in a form that Xcode and other editors understand.
package struct GeneratorFinding: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package var path: String
    /// The number of the line, from 1.
    package var line: Int
    /// The number of the column, from 1, in Unicode scalars.
    package var column: Int
    /// One sentence, on one line.
    package var message: String

    /// Creates a finding.
    package init(path: String, line: Int, column: Int, message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    /// The finding in one line, such as `Hero.graphql:3:14: error: …`.
    package var description: String { "\(path):\(line):\(column): error: \(message)" }
}

/// All findings of a run that generated nothing. There is at least one.
package struct GeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The findings in the order of the files, and in each file ordered by place.
    package var findings: [GeneratorFinding]

    /// Creates an error.
    package init(_ findings: [GeneratorFinding]) {
        self.findings = findings
    }

    /// The findings, one on each line.
    package var description: String { findings.map(\.description).joined(separator: "\n") }
}
