/// Why a recording, or one of its lines, cannot be used.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. Raw values are the codes that the command line prints.
    package enum Code: String, Sendable {
        /// There is no such file.
        case notFound = "not_found"
        /// The system failed to read or write the file.
        case inputOutput = "input_output"
        /// A line is not JSON, or is not a line of a recording.
        case badLine = "bad_line"
        /// The replay needs the database with which the recording began, and no copy of it was given.
        case noBase = "no_base"
        /// The last line is incomplete, because the recording process was killed.
        case torn
    }

    /// The kind of error.
    package var code: Code
    /// What is wrong, for people.
    package var message: String
    /// The number of the line in the recording, from 1; nil when the error is not about a line.
    package var line: Int64?
    /// The offset of the line's first byte; nil when the error is not about a line.
    package var offset: Int64?

    /// Creates an error.
    package init(_ code: Code, _ message: String, line: Int64? = nil, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.offset = offset
    }

    /// The line and offset as `line 12, byte 3456`; empty when the error is not about a line.
    package var place: String {
        guard let line, let offset else { return "" }
        return "line \(line), byte \(offset)"
    }

    /// Code, message and place in one line.
    package var description: String {
        place.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(place))"
    }
}
