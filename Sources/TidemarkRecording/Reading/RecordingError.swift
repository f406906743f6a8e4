/// The reason why a recording, or a line of it, cannot be used.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// There is no such file.
        case notFound = "not_found"
        /// The system failed to read or write the file.
        case inputOutput = "input_output"
        /// A line is not JSON, or is not a line of a recording.
        case badLine = "bad_line"
        /// The replay needs the database with which the recording began, and there is no copy.
        case noBase = "no_base"
        /// The last line is incomplete, because its writer was ended.
        case torn
    }

    package var code: Code
    package var message: String
    /// The line and the byte in the recording; nil when the error is not about a line.
    package var line: Int64?
    package var offset: Int64?

    package init(_ code: Code, _ message: String, line: Int64? = nil, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.offset = offset
    }

    /// The place as `line 12, byte 3456`; empty when the error is not about a line.
    package var place: String {
        guard let line, let offset else { return "" }
        return "line \(line), byte \(offset)"
    }

    package var description: String {
        place.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(place))"
    }
}
