import TidemarkJSON
import TidemarkModel
import TidemarkScopes
import TidemarkViews

/// Whether one scope shows an entity, in words and as JSON.
struct ScopeAnswer {
    let scope: ByteString
    let entity: ByteString
    let explanation: ScopeExplanation

    private static let excerptByteCount = 500

    /// The answer as one sentence, safe to print.
    var sentence: String {
        let name = Printable.text(entity)
        if case .shown(let sent) = explanation {
            return "\(name) is in the scope \(scope): clients are sent \(excerpt(sent))"
        }
        return "\(name) is not in the scope \(scope)" + (status.map { ", which answers \($0)" } ?? "")
            + ": \(Printable.text(reason))"
    }

    /// The status with which the whole scope is refused; nil if it is not.
    private var status: Int? {
        switch explanation {
        case .badRequest: 400
        case .unusableClaim, .forbidden: 403
        case .shown, .typeNotInScope, .hidden: nil
        }
    }

    private var reason: String {
        switch explanation {
        case .shown: ""
        case .badRequest(let what): "\(what); pass it with --param"
        case .unusableClaim(let at, let what): "the claim of \(at) \(what)"
        case .forbidden(let at, let condition): "nothing matches \(at), \(excerpt(condition))"
        case .typeNotInScope(let types): "it has no such type; its types are \(names(types))"
        case .hidden(let failure): failure.sentence
        }
    }

    private func names(_ types: [ByteString]) -> String { types.map(\.description).joined(separator: ", ") }

    private func excerpt(_ json: [UInt8]) -> String {
        Printable.text(ByteString.excerpt(of: json, byteCount: ScopeAnswer.excerptByteCount))
    }

    /// The answer as a line of JSON.
    ///
    /// - Source: docs/scopes.md, checking.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("scope", Optional(scope))
            line.member("entity", Optional(entity))
            line.member("in", explanation.isShown)
            if case .shown(let sent) = explanation { return line.member("sent", json: Optional(sent)) }
            line.name("why")
            line.object { line in
                if let status { line.member("status", status) }
                members(&line)
                line.member("text", Optional(ByteString(reason)))
            }
        }
        return line.bytes
    }

    private func members(_ line: inout JSONLine) {
        switch explanation {
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

/// The scopes of a file that was checked.
struct ScopeListing {
    private let scopes: [(name: ByteString, explainer: ScopeExplainer)]
    private let isJSON: Bool

    init(_ scopes: [(name: ByteString, explainer: ScopeExplainer)], isJSON: Bool) {
        self.scopes = scopes
        self.isJSON = isJSON
    }

    func write(to output: Output) throws(Failure) {
        guard !isJSON else { return try output.writeLine(json) }
        for (name, explainer) in scopes {
            let library = explainer.library.map { " of the library \(Printable.text($0))" } ?? ""
            let address = explainer.addressNames.isEmpty ? "" : "; the address gives \(names(explainer.addressNames))"
            try output.writeLine("\(name)\(library): types \(names(explainer.typesShown))\(address)")
        }
        try output.writeLine(
            "\(output.style.paint("sound", .green)): \(HumanText.count(scopes.count, "scope")), nothing wrong")
    }

    private func names(_ names: [ByteString]) -> String { names.map { Printable.text($0) }.joined(separator: ", ") }

    private var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("scopes")
            line.array { line in
                for (name, explainer) in scopes {
                    line.object { line in
                        line.member("name", Optional(name))
                        line.member("library_id", explainer.library)
                        ScopeListing.list("types", explainer.typesShown, &line)
                        ScopeListing.list("params", explainer.addressNames, &line)
                    }
                }
            }
        }
        return line.bytes
    }

    private static func list(_ name: ByteString, _ values: [ByteString], _ line: inout JSONLine) {
        line.name(name)
        line.array { line in
            for value in values { line.value(value) }
        }
    }
}
