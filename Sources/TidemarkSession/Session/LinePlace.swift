import TidemarkModel

/// Which line of which input a request stood on.
struct LinePlace: Hashable, Sendable {
    var input: InputID
    /// From 1.
    var line: Int64
}
