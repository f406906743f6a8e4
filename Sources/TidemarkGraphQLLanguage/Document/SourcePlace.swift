/// The place where a part of a document begins.
///
/// A line ends with LF, CR LF or CR. A column counts Unicode scalars: a tab is one, and an umlaut is one or two,
/// depending on its spelling. A byte order mark at the start of the document is not counted.
package struct SourcePlace: Hashable, Sendable, Comparable {
    /// The number of the line, from 1.
    package var line: Int
    /// The number of the column, from 1.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePlace, right: SourcePlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
