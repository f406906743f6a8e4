import TidemarkModel

/// The input and the line of a request.
struct LinePlace: Hashable, Sendable {
    var input: InputID
    /// The number of the line, from 1.
    var line: Int64
}
