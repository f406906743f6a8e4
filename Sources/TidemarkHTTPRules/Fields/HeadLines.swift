import TidemarkModel

/// Parses the lines of a head as they arrive. This is the only parser of header fields in bytes. Heads of interim
/// responses are dropped, and trailers are ignored.
///
/// A line that restricts the use of a response must never get lost. So a malformed line is repaired, and a head that is
/// too long is rejected.
///
/// | a line | is read as |
/// |---|---|
/// | that begins with a space or tab | the continuation of the field before, after one space (RFC 9112, section 5.2) |
/// | with spaces before its colon | a field without them (RFC 9112, section 5.1) |
/// | with control characters in its value | a field with spaces in place of them (RFC 9110, section 5.5) |
/// | whose name is not a token | nothing, nor are its continuations |
package struct HeadLines: Sendable {
    /// Why a head is rejected.
    package enum Fault: Error, Hashable, Sendable {
        /// The head has too many fields, or too many bytes.
        case tooLong
    }

    /// The head, after its last line has been read; nil before.
    package private(set) var head: ResponseHead?
    private var open: ResponseHead?
    /// True if the last line was a field that was kept. Only such a field can be continued.
    private var isFieldOpen = false
    private var byteCount = 0

    /// Creates a parser for one response.
    package init() {}

    /// Parses the next line.
    ///
    /// - Parameter line: One line with its line end.
    /// - Throws: ``Fault/tooLong`` past ``HeaderFields/countMax`` fields or ``HeaderFields/byteCountMax`` bytes.
    package mutating func append(_ line: [UInt8]) throws(Fault) {
        guard head == nil else { return }
        var text = line[...]
        while let last = text.last, last == 0x0A || last == 0x0D { text = text.dropLast() }
        if open == nil || text.starts(with: Array("HTTP/".utf8)) { return begin(text) }
        if text.isEmpty {
            if let open, open.status >= 200 { head = open }
            open = nil
            return
        }
        byteCount += line.count
        guard byteCount <= HeaderFields.byteCountMax, open?.fields.fields.count ?? 0 < HeaderFields.countMax else {
            throw .tooLong
        }
        if let first = text.first, ASCII.isSpace(first) { return fold(ASCII.trimmed(text)) }
        isFieldOpen = false
        guard let colon = text.firstIndex(of: 0x3A) else { return }
        let name = ByteString(ASCII.trimmed(text[..<colon]))
        let value = HeadLines.value(ASCII.trimmed(text[(colon + 1)...]))
        guard HeaderFields.fault(name: name, value: value) == nil else { return }
        open?.fields.fields.append(.init(name, value))
        isFieldOpen = true
    }

    private mutating func begin(_ text: ArraySlice<UInt8>) {
        guard text.starts(with: Array("HTTP/".utf8)) else { return }
        let words = text.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        let status = words.count > 1 ? ASCII.number(words[1], max: 1_000) ?? 0 : 0
        open = ResponseHead(
            status: Int(status), reason: words.count > 2 ? HeadLines.value(words[2]) : "", fields: HeaderFields())
        isFieldOpen = false
        byteCount = 0
    }

    private mutating func fold(_ text: ArraySlice<UInt8>) {
        guard isFieldOpen, let last = open?.fields.fields.indices.last else { return }
        let more = HeadLines.value(text)
        guard !more.bytes.isEmpty, let before = open?.fields.fields[last].value else { return }
        open?.fields.fields[last].value = before.bytes.isEmpty ? more : ByteString(before.bytes + [0x20] + more.bytes)
    }

    /// Returns a value with spaces in place of control characters.
    private static func value(_ bytes: ArraySlice<UInt8>) -> ByteString {
        let isClean = bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        return ByteString(isClean ? Array(bytes) : bytes.map { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) ? $0 : 0x20 })
    }
}
