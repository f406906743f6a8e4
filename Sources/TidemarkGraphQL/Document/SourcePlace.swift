/// Where something begins in a document.
///
/// A line ends with LF, CR LF or CR. A column counts Unicode scalars: a tab is one, an umlaut is one or two as it is
/// written. A byte order mark that opens the document is not counted.
package struct SourcePlace: Hashable, Sendable, Comparable {
    /// From 1.
    package var line: Int
    /// From 1.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePlace, right: SourcePlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
