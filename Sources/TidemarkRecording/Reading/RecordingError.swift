/// Why a recording, or a line of it, cannot be used.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// There is no such file.
        case notFound = "not_found"
        /// The system does not give the file's bytes, or does not take ours.
        case inputOutput = "input_output"
        /// A line is no JSON, or not one of a recording.
        case badLine = "bad_line"
        /// It needs the database that it began with, and nobody brought it.
        case noBase = "no_base"
        /// The last line stops in the middle: whoever wrote it was ended.
        case torn
    }

    package var code: Code
    package var message: String
    /// Line and byte in the recording; nil when it is not about one.
    package var line: Int64?
    package var offset: Int64?

    package init(_ code: Code, _ message: String, line: Int64? = nil, offset: Int64? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.offset = offset
    }

    /// `line 12, byte 3456`; empty when it is not about one.
    package var place: String {
        guard let line, let offset else { return "" }
        return "line \(line), byte \(offset)"
    }

    package var description: String {
        place.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(place))"
    }
}
