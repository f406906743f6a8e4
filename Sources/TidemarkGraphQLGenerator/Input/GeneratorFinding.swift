/// One thing that is wrong with the generator's input, in the form that Xcode and editors understand.
package struct GeneratorFinding: Hashable, Sendable, CustomStringConvertible {
    package var path: String
    /// Counted from 1.
    package var line: Int
    /// Counted from 1, in Unicode scalars.
    package var column: Int
    /// One sentence, on one line.
    package var message: String

    package init(path: String, line: Int, column: Int, message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    /// `Hero.graphql:3:14: error: …`.
    package var description: String { "\(path):\(line):\(column): error: \(message)" }
}

/// All findings of one run; there is at least one, and nothing was generated.
package struct GeneratorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The findings in the order of the files, and in each file in the order of places.
    package var findings: [GeneratorFinding]

    package init(_ findings: [GeneratorFinding]) {
        self.findings = findings
    }

    /// The findings, one a line.
    package var description: String { findings.map(\.description).joined(separator: "\n") }
}
