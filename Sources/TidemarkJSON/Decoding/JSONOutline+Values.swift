import TidemarkModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONOutline {
    // MARK: Kinds

    func bool(_ index: Int) throws(ValueDecodingError) -> Bool {
        switch kind(index) {
        case .true: return true
        case .false: return false
        default: throw .mismatch(Bool.self)
        }
    }

    func string(_ index: Int) throws(ValueDecodingError) -> String {
        try string(index, for: String.self)
    }

    /// - Parameter type: The type to name in the error when the value is null.
    private func string(_ index: Int, for type: any Any.Type) throws(ValueDecodingError) -> String {
        let entry = self[index]
        guard entry.kind == .string else { throw entry.kind == .null ? .null(type) : .mismatch(String.self) }
        let text = bytes.withUnsafeBytes { bytes -> String? in
            let written = UnsafeRawBufferPointer(rebasing: bytes[Int(entry.start)..<Int(entry.end)])
            guard entry.isEscaped else {
                // ASCII needs no validation, and `validating` asks the runtime for types at each call.
                if entry.isASCII { return String(decoding: written, as: UTF8.self) }
                return written.withMemoryRebound(to: UInt8.self) { String(validating: $0, as: UTF8.self) }
            }
            let (unescaped, isBroken) = JSONEscapes.unescaped(written)
            return isBroken ? nil : String(validating: unescaped, as: UTF8.self)
        }
        guard let text else { throw .unreadable }
        return text
    }

    // MARK: Types of Foundation and ours

    /// True if dates can be read only by a function of the program.
    var hasCustomDates: Bool {
        switch conventions.dates {
        case .custom: true
        case .iso8601, .secondsSince1970, .millisecondsSince1970: false
        }
    }

    /// Reads a date in the form that the conventions name.
    func date(_ index: Int) throws(ValueDecodingError) -> Date {
        switch conventions.dates {
        case .iso8601: return try iso8601Date(index)
        case .secondsSince1970: return Date(timeIntervalSince1970: try time(index))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try time(index) / 1_000)
        case .custom: preconditionFailure("a custom date is read by its function")
        }
    }

    private func time(_ index: Int) throws(ValueDecodingError) -> Double {
        if kind(index) == .null { throw .null(Date.self) }
        return try double(index)
    }

    /// Reads a date of ISO 8601, with or without a fraction of a second.
    private func iso8601Date(_ index: Int) throws(ValueDecodingError) -> Date {
        let entry = self[index]
        if entry.kind == .string, let date = bytes.withUnsafeBytes({ ISO8601Text.date($0[range(entry)]) }) {
            return date
        }
        let text = try string(index, for: Date.self)
        for style in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
            do { return try style.parse(text) } catch { continue }
        }
        throw .corrupted("an ISO 8601 date is expected")
    }

    /// Reads a UUID in hyphenated form.
    ///
    /// - Returns: nil for any other text, about which Foundation's own decoding decides.
    func uuid(_ index: Int) -> UUID? {
        let entry = self[index]
        guard entry.kind == .string, entry.end - entry.start == UUIDValue.textByteCount else { return nil }
        guard
            let value = bytes.withUnsafeBytes({ UUIDValue(text: UnsafeRawBufferPointer(rebasing: $0[range(entry)])) })
        else { return nil }
        return withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    func data(_ index: Int) throws(ValueDecodingError) -> Data {
        guard let data = Data(base64Encoded: try string(index, for: Data.self)) else {
            throw .corrupted("Encountered Data is not valid Base64.")
        }
        return data
    }

    func url(_ index: Int) throws(ValueDecodingError) -> URL {
        guard let url = URL(string: try string(index, for: URL.self)) else { throw .corrupted("Invalid URL string.") }
        return url
    }

    func decimal(_ index: Int) throws(ValueDecodingError) -> Decimal {
        guard let decimal = Decimal(string: try number(index, for: Decimal.self)) else { throw .unreadable }
        return decimal
    }

    /// Reads the value exactly as it is written, including the text of numbers.
    func jsonValue(_ index: Int) throws(ValueDecodingError) -> JSONValue {
        let entry = self[index]
        switch entry.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .object, .array, .string, .number, .name:
            let quote = entry.kind == .string ? 1 : 0
            do {
                return try JSONValue(
                    parsing: bytes[Int(entry.start) - quote..<Int(entry.end) + quote],
                    nestingDepthMax: JSONOutline.nestingDepthMax)
            } catch {
                // The grammar was checked before. The only error left is text that is not UTF-8.
                throw .unreadable
            }
        }
    }

    @inline(__always) func range(_ entry: Entry) -> Range<Int> { Int(entry.start)..<Int(entry.end) }
}
