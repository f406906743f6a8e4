import TidemarkJSON
import TidemarkModel
import TidemarkViews

extension ScopeExplanation {
    private static let excerptByteCount = 500

    /// The status with which the whole scope is refused; nil if it is not.
    package var status: Int? {
        switch self {
        case .badRequest: 400
        case .unusableClaim, .forbidden: 403
        case .shown, .typeNotInScope, .hidden: nil
        }
    }

    /// Why the client does not see the entity, in words; empty if it sees it. The text has bytes of entities and of the
    /// file as they are.
    ///
    /// - Parameter advice: What to do about a wrong address.
    package func reason(advice: String = "") -> String {
        switch self {
        case .shown: ""
        case .badRequest(let what): what + advice
        case .unusableClaim(let at, let what): "the claim of \(at) \(what)"
        case .forbidden(let at, let condition):
            "nothing matches \(at), \(ByteString.excerpt(of: condition, byteCount: ScopeExplanation.excerptByteCount))"
        case .typeNotInScope(let types):
            "it has no such type; its types are \(types.map(\.description).joined(separator: ", "))"
        case .hidden(let failure): failure.sentence
        }
    }

    /// The explanation as a line of JSON, without its end.
    ///
    /// - Parameters:
    ///   - scope: The name of the scope.
    ///   - entity: The entity, as `type:id`.
    ///   - advice: What to do about a wrong address.
    /// - Source: docs/scopes.md, checking.
    package func answer(scope: ByteString, entity: ByteString, advice: String = "") -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("scope", Optional(scope))
            line.member("entity", Optional(entity))
            line.member("in", isShown)
            if case .shown(let sent) = self { return line.member("sent", json: Optional(sent)) }
            line.name("why")
            line.object { line in
                if let status { line.member("status", status) }
                members(&line)
                line.member("text", Optional(ByteString(reason(advice: advice))))
            }
        }
        return line.bytes
    }

    private func members(_ line: inout JSONLine) {
        switch self {
        case .shown, .badRequest: break
        case .unusableClaim(let at, _): line.member("at", Optional(ByteString(at)))
        case .forbidden(let at, let condition):
            line.member("at", Optional(ByteString(at)))
            line.member("condition", json: Optional(condition))
        case .typeNotInScope(let types):
            line.name("types")
            line.array { line in
                for type in types { line.value(type) }
            }
        case .hidden(let failure):
            if failure.isMiss { return line.member("miss", true) }
            line.member("at", Optional(ByteString(failure.at)))
            if let condition = failure.condition { line.member("condition", json: Optional(condition)) }
            if let value = failure.value { line.member("value", json: Optional(value)) }
            if let entity = failure.entity { line.member("entity", Optional(entity.text)) }
        }
    }
}
