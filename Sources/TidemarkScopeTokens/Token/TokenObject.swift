import TidemarkModel
import TidemarkServer
import TidemarkViews

/// A JSON object of a token, in which no member is repeated at any depth.
struct TokenObject {
    private let members: [RuleNode.Member]

    /// Parses an object.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed` for anything else, and for text that is not UTF-8.
    init(_ json: [UInt8]) throws(ScopeTokenError) {
        let node: RuleNode
        do { node = try RuleNode(text: json, name: "the token") } catch { throw .malformed }
        guard case .object(let members) = node else { throw .malformed }
        self.members = members
    }

    /// Returns the value of a member, null included; nil without one.
    func value(_ name: String) -> RuleNode? {
        members.first { $0.name == Array(name.utf8) }?.value
    }

    /// Returns a string; nil without one.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed` for another value, null included.
    func string(_ name: String) throws(ScopeTokenError) -> ByteString? {
        switch value(name) {
        case nil: return nil
        case .string(let text): return ByteString(text)
        case .object, .array, .word: throw .malformed
        }
    }

    /// Returns a time in seconds since 1970; nil without one.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed` for another value than a number within ±``secondCountMax``.
    /// - Source: RFC 7519, section 2, NumericDate: fractions are allowed.
    func time(_ name: String) throws(ScopeTokenError) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .word(let word) = value, let seconds = Double(String(decoding: word, as: UTF8.self)),
            abs(seconds) <= TokenObject.secondCountMax
        else { throw .malformed }
        return seconds
    }

    /// The end of the year 9999. A later time is a mistake, such as milliseconds, or an attempt to confuse.
    static let secondCountMax = 253_402_300_799.0
}
