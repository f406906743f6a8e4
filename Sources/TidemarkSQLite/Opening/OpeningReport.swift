/// The result of opening a data file for writing, for a report to the user.
public enum OpeningReport: Hashable, Sendable {
    /// There was no file; a new one was created.
    case created
    /// The file existed and is in order.
    case reopened
    /// The file was damaged: it was moved to `movedTo`. A new file replaces it, empty except for the pending edits that
    /// could still be read.
    case rebuilt(movedTo: String, reason: String)
}
