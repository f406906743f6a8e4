import TidemarkWire
import TidemarkModel
import TidemarkJSON

/// Splits a multipart body into its parts, however its bytes are divided into chunks.
///
/// A pure state machine: bytes in, parts out. The preamble, the epilogue and white space after a delimiter are ignored;
/// the first delimiter needs no line end before it; lines end with CRLF or LF alone. A line is a delimiter only when
/// nothing but white space follows the boundary, or `--`.
///
/// - Source: RFC 2046, section 5.1.1; Protocol/graphql.md, incremental delivery.
package struct MultipartReader: Sendable {
    /// A part of a multipart body.
    package struct Part: Hashable, Sendable {
        /// The type of the part's content; nil if the part does not name one.
        package var contentType: ByteString?
        /// The content of the part.
        package var body: [UInt8]

        /// Creates a part.
        package init(contentType: ByteString?, body: [UInt8]) {
            self.contentType = contentType
            self.body = body
        }
    }

    /// Why a body cannot be read further.
    package enum Fault: Error, Hashable, Sendable {
        /// A part is larger than the limit, or its headers are larger than 64 KiB.
        case tooLarge
        /// The boundary is empty, longer than 70 bytes, or contains a character that is not allowed.
        case badBoundary
    }

    private enum State {
        case preamble
        case headers
        case body
        case epilogue
    }

    private let delimiter: [UInt8]
    private let partByteCountMax: Int
    private var state = State.preamble
    /// The bytes of the line that is not complete yet. Bounded by `partByteCountMax`.
    private var line: [UInt8] = []
    private var part = Part(contentType: nil, body: [])
    private var headerByteCount = 0
    /// The line end before the current line. It belongs to the delimiter, if the line is one.
    private var heldLineEnd: [UInt8] = []

    private static let headerByteCountMax = 64 * 1024
    private static let contentType = Array("content-type".utf8)

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - boundary: The boundary that the `Content-Type` names.
    ///   - partByteCountMax: The largest part, in bytes.
    /// - Throws: ``Fault/badBoundary``.
    package init(boundary: String, partByteCountMax: Int) throws(Fault) {
        let bytes = Array(boundary.utf8)
        guard 1...70 ~= bytes.count, bytes.last != 0x20, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw .badBoundary
        }
        delimiter = Array("--".utf8) + bytes
        self.partByteCountMax = partByteCountMax
    }

    /// True if the closing delimiter has been read.
    package var isWhole: Bool {
        if case .epilogue = state { return true }
        return false
    }

    /// Reads the next chunk of the body.
    ///
    /// - Parameter bytes: The chunk, which may begin and end anywhere.
    /// - Returns: The parts that this chunk completes, in order.
    /// - Throws: ``Fault/tooLarge``; the reader cannot be used afterwards.
    /// - Complexity: O(bytes).
    package mutating func read(_ bytes: [UInt8]) throws(Fault) -> [Part] {
        var parts: [Part] = []
        var start = 0
        while start < bytes.count {
            if case .epilogue = state { return parts }
            guard let end = bytes.withUnsafeBytes({ $0.firstLineFeed(in: start..<bytes.count) }) else {
                try consume(bytes[start...])
                break
            }
            try consume(bytes[start...end])
            start = end + 1
            if let part = try endLine() { parts.append(part) }
        }
        return parts
    }

    /// Ends the input. The last line may lack its line end.
    ///
    /// - Returns: The last part, if the closing delimiter had no line end.
    package mutating func finish() throws(Fault) -> [Part] {
        if case .epilogue = state { return [] }
        return try endLine().map { [$0] } ?? []
    }

    private mutating func consume(_ bytes: ArraySlice<UInt8>) throws(Fault) {
        if case .preamble = state {
            // A line of the preamble is needed only as far as it may be a delimiter.
            line += bytes.prefix(max(0, delimiter.count + 1_024 - line.count))
            return
        }
        line += bytes
        guard line.count + part.body.count + headerByteCount <= partByteCountMax + MultipartReader.headerByteCountMax
        else {
            throw .tooLarge
        }
    }

    /// Processes a complete line.
    private mutating func endLine() throws(Fault) -> Part? {
        defer { line.removeAll(keepingCapacity: true) }
        let (text, lineEnd) = MultipartReader.content(line)
        switch (state, kind(of: text)) {
        case (.preamble, .open): begin()
        case (.preamble, .closing): state = .epilogue
        case (.preamble, .none): break
        case (.headers, .open), (.body, .open):
            let whole = part
            begin()
            return whole
        case (.headers, .closing), (.body, .closing):
            let whole = part
            state = .epilogue
            part = Part(contentType: nil, body: [])
            return whole
        case (.headers, .none):
            if text.isEmpty, !lineEnd.isEmpty {
                state = .body
            } else {
                try noteHeader(text)
            }
        case (.body, .none):
            part.body += heldLineEnd
            part.body += text
            heldLineEnd = Array(lineEnd)
            guard part.body.count <= partByteCountMax else { throw .tooLarge }
        case (.epilogue, _): break
        }
        return nil
    }

    private mutating func begin() {
        state = .headers
        part = Part(contentType: nil, body: [])
        heldLineEnd = []
        headerByteCount = 0
    }

    private mutating func noteHeader(_ text: ArraySlice<UInt8>) throws(Fault) {
        headerByteCount += text.count
        guard headerByteCount <= MultipartReader.headerByteCountMax else { throw .tooLarge }
        // Only the name `Content-Type` matters, so headers whose names have another length are skipped.
        let colon = text.startIndex + MultipartReader.contentType.count
        guard colon < text.endIndex, text[colon] == UInt8(ascii: ":"), part.contentType == nil else { return }
        let name = text[..<colon].map { $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) }
        guard name == MultipartReader.contentType else { return }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let value = text[(colon + 1)...].drop(while: isSpace)
        part.contentType = ByteString(Array(value.reversed().drop(while: isSpace).reversed()))
    }

    private enum Line {
        case open
        case closing
        case none
    }

    /// Returns which delimiter a line is, if any.
    private func kind(of text: ArraySlice<UInt8>) -> Line {
        guard text.starts(with: delimiter) else { return .none }
        let rest = text.dropFirst(delimiter.count)
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        if rest.allSatisfy(isSpace) { return .open }
        if rest.starts(with: Array("--".utf8)), rest.dropFirst(2).allSatisfy(isSpace) { return .closing }
        return .none
    }

    /// Splits a line into its text and its line end.
    private static func content(_ line: [UInt8]) -> (text: ArraySlice<UInt8>, end: ArraySlice<UInt8>) {
        guard line.last == UInt8(ascii: "\n") else { return (line[...], line[line.endIndex...]) }
        let isCRLF = line.count > 1 && line[line.count - 2] == UInt8(ascii: "\r")
        let end = line.count - (isCRLF ? 2 : 1)
        return (line[..<end], line[end...])
    }
}
