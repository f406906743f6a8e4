import HTTPTypes
import TidemarkInspector

/// A path of the server, with the names in it.
///
/// Paths are compared as written: empty or dotted segments are not resolved, and each segment is percent-decoded once.
///
/// - Source: Protocol/serving.md, paths.
enum ServerRoute: Hashable, Sendable {
    case messages
    case stream
    case events
    case entity(type: String, id: String)
    case entities(type: String)
    case export
    case metrics
    case health
    case recording
    case scopes
    case scope(name: String)
    case scopeEdits(name: String)
    case page(InspectorFile)

    /// Parses a path.
    ///
    /// - Parameter path: The request target, including its query.
    /// - Returns: nil if there is no such path.
    init?(path: String) {
        let target = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        switch String(Substring(target)) {
        case "/rpc": self = .messages
        case "/stream": self = .stream
        case "/events": self = .events
        case "/export": self = .export
        case "/metrics": self = .metrics
        case "/healthz": self = .health
        case "/recording": self = .recording
        case "/scopes": self = .scopes
        case let path:
            if let file = InspectorFile(path: path) {
                self = .page(file)
                return
            }
            let parts = target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            if let scope = ServerRoute(scopeParts: parts) {
                self = scope
                return
            }
            guard parts.count == 3 || parts.count == 4, parts[0].isEmpty, parts[1].elementsEqual("entities".utf8),
                let type = PercentDecoding.text(parts[2]), !type.isEmpty
            else { return nil }
            if parts.count == 3 {
                self = .entities(type: type)
            } else {
                guard let id = PercentDecoding.text(parts[3]), !id.isEmpty else { return nil }
                self = .entity(type: type, id: id)
            }
        }
    }

    /// Parses `/scopes/NAME` and `/scopes/NAME/edits`.
    private init?(scopeParts parts: [Substring.UTF8View.SubSequence]) {
        guard 3...4 ~= parts.count, parts[0].isEmpty, parts[1].elementsEqual("scopes".utf8),
            let name = PercentDecoding.text(parts[2]), !name.isEmpty
        else { return nil }
        if parts.count == 3 {
            self = .scope(name: name)
        } else {
            guard parts[3].elementsEqual("edits".utf8) else { return nil }
            self = .scopeEdits(name: name)
        }
    }

    /// True for the paths of scopes, which are there only if scopes are served.
    var isScope: Bool {
        switch self {
        case .scopes, .scope, .scopeEdits: true
        default: false
        }
    }

    /// The methods that the path supports.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .messages, .events, .scopeEdits: [.post]
        case .scope: [.get, .head, .post]
        case .stream, .entity, .entities, .export, .metrics, .health, .recording, .scopes, .page: [.get, .head]
        }
    }

    /// True if the path is served without the server's token.
    var isOpen: Bool {
        switch self {
        // These check tokens themselves.
        case .scope, .scopeEdits: true
        case .health, .page: true
        case .messages, .stream, .events, .entity, .entities, .export, .metrics, .recording, .scopes: false
        }
    }

    /// True if a read-only server supports the path. `/rpc` is included, because each method decides for itself.
    var isForReaders: Bool {
        switch self {
        case .stream, .events, .scopes, .scope, .scopeEdits: false
        case .messages, .entity, .entities, .export, .metrics, .health, .recording, .page: true
        }
    }
}

/// Decodes `%XX` in a part of a path or query.
enum PercentDecoding {
    /// Decodes a text and its escapes.
    ///
    /// - Returns: nil if a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    static func text(_ bytes: some Collection<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

/// The query parameters of a request, each at most once.
struct QueryItems: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// Parses the parameters of a request target.
    ///
    /// - Parameters:
    ///   - path: The request target.
    ///   - known: The parameters that the path accepts.
    /// - Throws: ``Refusal`` for an unknown or repeated parameter, or a value that cannot be decoded.
    init(path: String, known: [String]) throws(Refusal) {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        for part in path.utf8[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentDecoding.text(pair[0]), known.contains(name) else {
                let list = known.isEmpty ? "it takes none" : "it takes \(known.joined(separator: ", "))"
                throw Refusal(.badRequest, "the path does not take that parameter: \(list)")
            }
            guard values[name] == nil, let value = PercentDecoding.text(pair.count > 1 ? Array(pair[1]) : []) else {
                throw Refusal(.badRequest, "the parameter \(name) is repeated, or cannot be decoded")
            }
            values[name] = value
        }
    }

    subscript(_ name: String) -> String? { values[name] }
}
