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
            let excerpt = Printable.text(ByteString.excerpt(of: sent, byteCount: ScopeAnswer.excerptByteCount))
            return "\(name) is in the scope \(scope): clients are sent \(excerpt)"
        }
        return "\(name) is not in the scope \(scope)" + (explanation.status.map { ", which answers \($0)" } ?? "")
            + ": \(Printable.text(explanation.reason(advice: ScopeAnswer.advice)))"
    }

    private static let advice = "; pass it with --param"

    /// The answer as a line of JSON.
    ///
    /// - Source: docs/scopes.md, checking.
    var json: [UInt8] { explanation.answer(scope: scope, entity: entity, advice: ScopeAnswer.advice) }
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
