/// The position of a line in its stream.
package struct ReferencePlace: Equatable, Sendable {
    /// The number of the line, from 1.
    package var line: Int
    /// The number of bytes before the line. A BOM belongs to no line, so the first line after one starts at 3.
    package var offset: Int

    /// Creates a position.
    package init(line: Int, offset: Int) {
        self.line = line
        self.offset = offset
    }
}
