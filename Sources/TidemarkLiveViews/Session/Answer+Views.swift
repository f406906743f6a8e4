import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkViews

extension Answer {
    /// Returns the `result` of `view.read` and `view.observe`, or the error.
    static func view(_ outcome: Result<ViewReply, CacheError>) -> Result<[UInt8], MessageError> {
        outcome.map { reply in object { $0.members(of: reply) } }.mapError { MessageError($0) }
    }

    /// Returns the `result` of `view.explain`.
    static func explanation(_ explanation: ViewExplanation) -> [UInt8] { object { $0.members(of: explanation) } }
}

extension JSONLine {
    mutating func members(of reply: ViewReply) {
        name("rows")
        array { line in
            for row in reply.rows { line.value(json: row) }
        }
        if reply.hasKeys {
            name("keys")
            array { line in
                for key in reply.keys { line.value(json: key) }
            }
        }
        if reply.hasTotal { member("total", reply.total) }
        members(of: reply.status)
        member("missing", reply.missing)
        if let subscription = reply.subscription { member("subscription", subscription.rawValue) }
    }

    private mutating func member(of name: String, _ keys: [ViewRowKey]) {
        self.name(ByteString(name))
        array { line in
            for key in keys { line.value(json: key.text) }
        }
    }

    mutating func value(_ view: ViewListing) {
        object { line in
            line.member("name", Optional(view.name))
            line.member("view", json: Optional(view.rule.canonical))
            line.name("params")
            line.array { line in
                for name in view.rule.parameters { line.value(name) }
            }
            line.member("observers", view.observerCount)
            line.member("rows", json: view.rowCount.map { Array("\($0)".utf8) })
            line.member("bytes", view.byteCount)
            line.member("state", Optional(view.isBuilding ? "building" : "live" as ByteString))
        }
    }

    // MARK: Explanations

    /// Writes an explanation: `plan`, `missing`, and what was asked about.
    package mutating func members(of explanation: ViewExplanation) {
        name("plan")
        array { line in
            for step in explanation.plan { line.value(step) }
        }
        name("missing")
        array { line in
            for key in explanation.missing { line.value(key.text) }
        }
        if let sources = explanation.sources {
            name("entities")
            array { line in
                for source in sources { line.value(source) }
            }
        }
        switch explanation.entity {
        case nil: break
        case .rows(let keys):
            member("in", true)
            member(of: "rows", keys)
        case .failed(let failure):
            member("in", false)
            name("why")
            object { $0.members(of: failure) }
        }
    }

    private mutating func value(_ source: ViewExplanation.Source) {
        object { line in
            line.member("key", Optional(source.key.text))
            line.member("sequence", source.sequence)
            line.member("line", json: source.line.map { Array("\($0)".utf8) })
        }
    }

    private mutating func value(_ step: ViewPlanLine) {
        object { line in
            line.member("op", Optional(ByteString(step.operation)))
            if let source = step.source { line.member("source", Optional(ByteString(source))) }
            if let index = step.index { line.member("index", Optional(ByteString(index))) }
            line.member("rows", step.rows)
            line.member("bytes", step.bytes)
        }
    }

    private mutating func members(of failure: ViewFailure) {
        member("at", Optional(ByteString(failure.at)))
        if let condition = failure.condition { member("condition", json: Optional(condition)) }
        if let value = failure.value { member("value", json: Optional(value)) }
        if let entity = failure.entity { member("entity", Optional(entity.text)) }
        if failure.isMiss { member("miss", true) }
    }
}
