#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The names that a recording takes: its own, and those of what it makes beside itself while it is shortened.
extension RecordingWriter {
    /// Refuses a place where a recording would take the name of something that is there.
    ///
    /// - Throws: ``RecordingError`` `inputOutput`.
    package static func check(_ path: String) throws(RecordingError) {
        for name in [path, path + ".base", path + ".new"] where isTaken(name) { throw refusal(name) }
    }

    /// Whether something would be lost if a recording took the name; an empty file holds nothing.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    static func refusal(_ path: String) -> RecordingError {
        RecordingError(.inputOutput, "\(path) is there already, and was not overwritten")
    }
}
