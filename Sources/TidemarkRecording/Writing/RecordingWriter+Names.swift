#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The names of a recording: its own, and those of the files beside it while it is shortened.
extension RecordingWriter {
    /// Refuses a path when the recording would overwrite an existing file.
    ///
    /// - Throws: ``RecordingError`` `inputOutput`.
    package static func check(_ path: String) throws(RecordingError) {
        for name in [path, path + ".base", path + ".new"] where isTaken(name) { throw refusal(name) }
    }

    /// Tells whether a recording under this name would overwrite data; an empty file has none.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    static func refusal(_ path: String) -> RecordingError {
        RecordingError(.inputOutput, "\(path) exists already and was not overwritten")
    }
}
