/// How a data file was opened for writing.
public enum OpeningReport: Hashable, Sendable {
    /// There was no file, or an empty one. A new file was created.
    case created
    /// The file existed and was opened.
    case reopened
    /// The file was damaged and was moved to `movedTo`. A new file replaces it, empty except for the pending edits that
    /// could still be read.
    case rebuilt(movedTo: String, reason: String)
}
