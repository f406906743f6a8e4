import TidemarkJSON
import TidemarkLiveScopes
public import TidemarkModel

/// The service that makes the edits of clients of scopes. What may be changed is its decision.
public protocol ScopeEditUpstream: Sendable {
    /// Makes an edit. The same id may come again, after an answer was lost: it must be made once.
    func send(_ edit: ScopeEditCall) async -> ScopeEditOutcome
}

/// An edit that a client of a scope wants to make.
public struct ScopeEditCall: Hashable, Sendable {
    /// The client's id of the edit.
    public let pendingID: ByteString
    /// The method of the service.
    public let method: ByteString
    /// Its input, as JSON.
    public let input: [UInt8]
    /// What the client shows already, as a JSON array of operations.
    public let changes: [UInt8]
    /// The name of the scope.
    public let scope: ByteString
    /// The values from the address, as one JSON object of strings.
    public let parameters: [UInt8]
    /// The claims of the token, as one JSON object.
    public let claims: [UInt8]

    /// Writes values as one JSON object.
    static func object(_ values: [(name: ByteString, value: ByteString)]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            for (name, value) in values.sorted(by: { $0.name < $1.name }) { line.member(name, Optional(value)) }
        }
        return line.bytes
    }
}

/// What became of an edit.
public enum ScopeEditOutcome: Hashable, Sendable {
    /// It was made.
    ///
    /// - Parameter result: The result of `mutation.send`: one JSON object without insignificant white space. Anything
    ///   else counts as an empty one, since the edit was made.
    case confirmed(result: [UInt8])
    /// It will never be made.
    ///
    /// - Parameter error: The error of JSON-RPC: one JSON object without insignificant white space. Anything else is
    ///   replaced by an error that says that the edit was refused.
    case refused(error: [UInt8])
    /// The service cannot say now: the client may send it again.
    case unavailable

    var outcome: EditOutcome {
        switch self {
        case .confirmed(let result): .confirmed(result: CompactJSON.isObject(result) ? result : Array("{}".utf8))
        case .refused(let error):
            .refused(
                error: CompactJSON.isObject(error)
                    ? error : Array(#"{"code":-32000,"message":"the edit was refused"}"#.utf8))
        case .unavailable: .unavailable
        }
    }
}
