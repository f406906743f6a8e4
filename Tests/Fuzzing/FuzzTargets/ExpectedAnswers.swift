import TidemarkReferenceModel

/// The ids of the answers that a session must give to a stream, by JSON-RPC 2.0 and the rules of Protocol/sessions.md
/// for lines that cannot be read.
struct ExpectedAnswers {
    /// The ids as JSON, in the order of the lines; `null` where none could be read.
    private(set) var ids: [String] = []

    init(_ stream: [UInt8]) {
        let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())
        for line in ReferenceFraming.lines(of: stream) {
            switch decoder.decode(line.bytes) {
            case .message: take(line.bytes)
            case .rejected(let rejection):
                let isUnreadable = [.notJSON, .invalidUTF8, .tooLong, .tooDeep].contains(rejection.reason)
                if isUnreadable, line.bytes.text.contains("\"jsonrpc\"") { ids.append("null") }
            default: break
            }
        }
    }

    private mutating func take(_ line: [UInt8]) {
        guard let value = Self.parsed(line) else { return }
        guard let elements = value.elements else { return takeOne(value) }
        // An array with no request or too many is refused as a whole.
        guard 1...1_000 ~= elements.count else { return ids.append("null") }
        for element in elements { takeOne(element) }
    }

    private mutating func takeOne(_ message: ReferenceJSON) {
        guard message.members != nil else { return ids.append("null") }
        let id = message.member("id")
        let usable = id.flatMap(Self.usable)
        guard message.member("method") != nil else {
            let isResult = message.member("result") != nil && (message.presentMember("error") == nil)
            if isResult || message.member("error") != nil { return }
            return ids.append(usable ?? "null")
        }
        guard id == nil || usable != nil else { return ids.append("null") }
        if isRequest(message), id == nil { return }
        ids.append(usable ?? "null")
    }

    private func isRequest(_ message: ReferenceJSON) -> Bool {
        let params = message.presentMember("params")
        return message.member("jsonrpc")?.text == Array("2.0".utf8) && message.member("method")?.text != nil
            && (params == nil || params?.members != nil || params?.elements != nil)
    }

    /// Returns an id in the form in which it is sent back.
    private static func usable(_ id: ReferenceJSON) -> String? {
        switch id {
        case .string, .number, .null: id.written.count <= 1_024 ? id.description : nil
        case .bool, .array, .object: nil
        }
    }

    private static func parsed(_ line: [UInt8]) -> ReferenceJSON? {
        do throws(ReferenceJSONError) { return try ReferenceJSONParser.parse(line) } catch { return nil }
    }
}
