import Tidemark
import TidemarkModel
import TidemarkJSON

extension JSONLine {
    /// Writes the members of a result.
    ///
    /// - Source: Protocol/graphql.md, reading.
    package mutating func graphResult(_ result: DocumentResult) {
        member("data", json: Optional(result.data))
        member("source", ByteString(result.source.rawValue))
        member("stale", result.isStale)
        member("as_of", result.asOf)
        member("pending", result.isPending)
        member("errors", json: result.errors)
        member("extensions", json: result.extensions)
        completeness(isPartial: result.isPartial, result.deferred)
    }

    /// Writes `response` and `deferred`.
    mutating func completeness(isPartial: Bool, _ deferred: [DeferredState]) {
        member("response", Optional<ByteString>(isPartial ? "partial" : "complete"))
        name("deferred")
        array { line in
            for state in deferred {
                line.object { line in
                    line.name("path")
                    state.path.appendJSON(to: &line)
                    line.member("label", state.label)
                    line.member("state", Optional(ByteString(state.state.rawValue)))
                }
            }
        }
    }
}
