import TidemarkModel

/// The input and the line of a request.
struct LinePlace: Hashable, Sendable {
    var input: InputID
    /// The line number, from 1.
    var line: Int64
}
