/// Where a line stood in its stream.
package struct ReferencePlace: Equatable, Sendable {
    /// Counted from 1.
    package var line: Int
    /// Bytes before the line. A BOM belongs to no line, so a first line behind one starts at 3.
    package var offset: Int

    package init(line: Int, offset: Int) {
        self.line = line
        self.offset = offset
    }
}
