import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Shortens messages about HTTP before they are recorded: URLs, headers and bodies may contain credentials.
///
/// A replay does not use messages: the steps that they caused are recorded separately.
///
/// - Source: Protocol/recordings.md, steps.
enum WithheldMessage {
    /// Returns a shortened line for a request of an `http.…` method, and for a host's response to an exchange.
    ///
    /// - Parameter line: JSON without white space around it.
    /// - Returns: nil for any other line, which is recorded as received.
    static func line(for line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let members = JSONSlice(validated: line).members, members[Array("jsonrpc".utf8)] != nil else {
            return nil
        }
        let id = members[Array("id".utf8)].map { Array($0.bytes) }
        if let method = members[Array("method".utf8)]?.text {
            guard method.starts(with: Array("http.".utf8)) else { return nil }
            var withheld = JSONLine()
            withheld.object { line in
                line.member("jsonrpc", Optional("2.0" as ByteString))
                if let id { line.member("id", json: Optional(id)) }
                line.member("method", Optional(ByteString(method)))
            }
            return withheld.bytes
        }
        guard let result = members[Array("result".utf8)]?.members, result[Array("headers".utf8)] != nil else {
            return nil
        }
        var withheld = JSONLine()
        withheld.object { line in
            line.member("jsonrpc", Optional("2.0" as ByteString))
            if let id { line.member("id", json: Optional(id)) }
            line.member("result", json: Optional(Array("{}".utf8)))
        }
        return withheld.bytes
    }
}
