/// What opening a data file for writing found and did; for a user to be told.
public enum OpeningReport: Hashable, Sendable {
    /// There was no file; a new one was made.
    case created
    /// The file was there and is in order.
    case reopened
    /// The file was damaged: it lies at `movedTo` now, and a new one stands in its place, empty but for
    /// pending edits that could still be read.
    case rebuilt(movedTo: String, reason: String)
}
