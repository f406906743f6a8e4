#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The names of a recording's files: its own, and those beside it while it is being shortened.
extension RecordingWriter {
    /// Checks that a recording at this path would overwrite no existing file.
    ///
    /// - Throws: ``RecordingError`` `inputOutput` when the path, or one with `.base` or `.new` appended, is a file with
    ///   data.
    package static func check(_ path: String) throws(RecordingError) {
        for name in [path, path + ".base", path + ".new"] where isTaken(name) { throw refusal(name) }
    }

    /// Returns true if a recording at this path would overwrite data. An empty file has none.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    static func refusal(_ path: String) -> RecordingError {
        RecordingError(.inputOutput, "\(path) exists already and was not overwritten")
    }
}
