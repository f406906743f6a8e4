import TidemarkModel
import TidemarkScopes

/// The query of an address of a scope: where the client goes on, and the values of parameters.
///
/// It is read as a form is: `+` is a space.
struct ScopeQuery: Sendable {
    private(set) var parameters: [(name: ByteString, value: ByteString)] = []
    private(set) var after: UInt64?
    private(set) var epoch: ByteString?

    /// Reads the query of a request target.
    ///
    /// - Throws: ``Refusal`` for text that cannot be decoded, and for a repeated or malformed `after` or `epoch`.
    init(path: String) throws(Refusal) {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        for part in path.utf8[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = ScopeQuery.text(pair[0]),
                let value = ScopeQuery.text(pair.count > 1 ? pair[1] : ""[...].utf8)
            else { throw Refusal(.badRequest, "the address has escapes that cannot be decoded") }
            switch name {
            case "after":
                guard after == nil, let number = UInt64(value), String(number) == value else {
                    throw Refusal(.badRequest, "after is repeated, or not a number: send that of the last line")
                }
                after = number
            case "epoch":
                guard epoch == nil else { throw Refusal(.badRequest, "epoch is repeated") }
                epoch = ByteString(value)
            default: parameters.append((ByteString(name), ByteString(value)))
            }
        }
    }

    private static func text(_ bytes: Substring.UTF8View) -> String? {
        PercentDecoding.text(bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    }

    /// Where the client goes on; nil if it is to be sent a state.
    ///
    /// - Parameter lastEventID: The id of the last server-sent event, which a browser sends when it connects again to
    ///   the same address.
    func resumption(lastEventID: String?) -> ScopeReader.Resumption? {
        if let lastEventID, let slash = lastEventID.lastIndex(of: "/") {
            guard let number = UInt64(lastEventID[slash...].dropFirst()) else { return nil }
            return ScopeReader.Resumption(after: number, epoch: ByteString(String(lastEventID[..<slash])))
        }
        guard let after, let epoch else { return nil }
        return ScopeReader.Resumption(after: after, epoch: epoch)
    }
}
