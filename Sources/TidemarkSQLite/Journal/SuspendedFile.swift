import Tidemark

/// What a suspended journal remembers of its file: how to notice that another program wrote it, and what continues.
struct SuspendedFile {
    /// How the database and its log were when they were closed; nil when the database could not be found.
    var state: FileState?
    /// The counters in the database, among them the time of the last flush; nil when they could not be read.
    var counters: [String: Int64]?
    /// The indexes of the file, for a file that replaces it.
    var indexes: [FieldIndex]
    /// The totals of stored HTTP responses, and the bodies that are being stored.
    var http: HTTPMemory
    /// True if the next flush contains everything and replaces the stored contents.
    var discardsContents: Bool
}
