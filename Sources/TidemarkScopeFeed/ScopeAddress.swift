public import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// Where a scope is served: a server, the scope's name, and the parameters that the address carries.
///
/// ```swift
/// let address = try ScopeAddress("https://sync.example", scope: "project", parameters: ["project": "p7"])
/// ```
///
/// - Source: Protocol/scopes.md.
public struct ScopeAddress: Hashable, Sendable {
    /// The scope's URL without parameters.
    private let path: ByteString
    /// The parameters, encoded and in the order of their names.
    private let query: [ByteString]

    /// The name of the scope.
    public let scope: String

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - server: The URL before `/scopes/`, of `http` or `https`, without query and credentials.
    ///   - scope: The scope's name.
    ///   - parameters: The parameters of the kind `query` that the scope's definition has.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for a URL that cannot be used.
    public init(_ server: String, scope: String, parameters: [String: String] = [:]) throws(CacheError) {
        self.scope = scope
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        path = ByteString("\(base)/scopes/\(ScopeAddress.encoded(scope))")
        query = parameters.sorted { $0.key < $1.key }.map { name, value in
            ByteString("\(ScopeAddress.encoded(name))=\(ScopeAddress.encoded(value))")
        }
        do throws(HTTPURL.Fault) {
            _ = try HTTPURL(text)
        } catch {
            throw CacheError(.invalidParams, "the address of the scope \(scope): \(error)")
        }
        guard !server.utf8.contains(UInt8(ascii: "?")), !server.utf8.contains(UInt8(ascii: "#")) else {
            throw CacheError(.invalidParams, "the server's address has a query: pass parameters apart")
        }
    }

    /// The whole URL. Equal texts are equal scopes.
    var text: ByteString { url(after: "", with: []) }

    /// Returns the URL of a request.
    ///
    /// - Parameters:
    ///   - suffix: The rest of the path, such as `/edits`.
    ///   - further: Parameters of the request, by name.
    func request(_ suffix: ByteString = "", _ further: [(String, String)] = []) throws(UpstreamError) -> HTTPURL {
        let encoded = further.map { ByteString("\(ScopeAddress.encoded($0.0))=\(ScopeAddress.encoded($0.1))") }
        do throws(HTTPURL.Fault) {
            return try HTTPURL(url(after: suffix, with: encoded))
        } catch {
            throw UpstreamError("the address of the scope \(scope): \(error)", isFinal: true)
        }
    }

    private func url(after suffix: ByteString, with further: [ByteString]) -> ByteString {
        var bytes = path.bytes + suffix.bytes
        for (place, part) in (query + further).enumerated() {
            bytes.append(place == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            bytes += part.bytes
        }
        return ByteString(bytes)
    }

    /// Percent-encodes everything but the unreserved characters of RFC 3986.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
