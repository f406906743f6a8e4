import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore

/// JSON Pointers: a line of a pointer, then lines of resources in which it is looked up.
///
/// A printed pointer is parsed as the same; text that RFC 6901 does not allow is refused; a pointer finds the value of
/// the reference, in rules, in indexes and in values.
enum PointerTarget {
    static let target = FuzzTarget("pointer", byteCountMax: 1_024, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        guard let line = lines.first, let text = String(validating: line, as: UTF8.self) else { return }
        let tokens = tokens(of: line)
        let pointer = JSONPointer(text)
        try requireEqual(pointer?.tokens.map { Array($0.utf8) }, tokens, "tokens of \(text)")
        try roundTrip(text)
        var path: FieldPath?
        do throws(MembershipError) {
            path = try FieldPath(ByteString(line))
        } catch {
            try require(!error.message.isEmpty, "a pointer is refused without a reason")
        }
        // No value is nested deeper than 64, so rules refuse more tokens.
        try requireEqual(path != nil, tokens.map { $0.count <= 64 } ?? false, "whether a rule takes \(text)")
        guard let path, let pointer else { return }
        for line in lines.dropFirst() { try follow(path, pointer, in: line) }
    }

    /// Checks that every pointer that can be made can be written and read again; any text can be used for its tokens.
    private static func roundTrip(_ text: String) throws {
        let tokens = text.split(separator: "|", omittingEmptySubsequences: false).map { String($0) }
        let made = JSONPointer(tokens: tokens)
        let read = JSONPointer(made.description)
        try requireEqual(
            read?.tokens.map { Array($0.utf8) }, tokens.map { Array($0.utf8) }, "tokens of \(made.description)")
    }

    private static func follow(_ path: FieldPath, _ pointer: JSONPointer, in line: [UInt8]) throws {
        guard ReferenceUTF8.isValid(line) else { return }
        let resource: ReferenceJSON
        do throws(ReferenceJSONError) {
            resource = try ReferenceJSONParser.parse(line)
        } catch {
            return
        }
        guard resource.members != nil else { return }
        let wanted = ReferencePointer(path.text.bytes).value(in: resource)
        let found = resource.written.withUnsafeBytes { path.value(in: $0) }
        try requireEqual(found?.json.text, wanted?.description, "\(path.text) in \(resource)")
        let codes = resource.written.withUnsafeBytes { (path.code(in: $0), path.code(in: ResourceView($0))) }
        try requireEqual(codes.0, codes.1, "codes of \(path.text) in \(resource)")
        // A value contains text, with U+FFFD for half a surrogate pair, so the printed text is looked up.
        let value = try JSONValue(parsing: line)
        let printed = ReferencePointer(path.text.bytes).value(in: try ReferenceJSONParser.parse(Array(value.text.utf8)))
        try requireEqual(
            value[pointer: pointer], try printed.map { try JSONValue(parsing: $0.written) },
            "\(pointer) in the value \(value)")
    }

    /// Returns the tokens of a pointer by RFC 6901; nil for text that is not a pointer.
    private static func tokens(of text: [UInt8]) -> [[UInt8]]? {
        guard let first = text.first else { return [] }
        guard first == UInt8(ascii: "/") else { return nil }
        var tokens: [[UInt8]] = []
        var isEscape = false
        for byte in text {
            switch (isEscape, byte) {
            case (true, UInt8(ascii: "0")): tokens[tokens.count - 1].append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): tokens[tokens.count - 1].append(UInt8(ascii: "/"))
            case (true, _): return nil
            case (false, UInt8(ascii: "/")): tokens.append([])
            case (false, UInt8(ascii: "~")): break
            case (false, _): tokens[tokens.count - 1].append(byte)
            }
            isEscape = !isEscape && byte == UInt8(ascii: "~")
        }
        return isEscape ? nil : tokens
    }
}
