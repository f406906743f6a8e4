import TidemarkModel

/// The input and the line of a request.
package struct LinePlace: Hashable, Sendable {
    /// The input that the line came from.
    package var input: InputID
    /// The line number, from 1.
    package var line: Int64

    /// Creates a place.
    package init(input: InputID, line: Int64) {
        self.input = input
        self.line = line
    }
}
