import Tidemark
import TidemarkModel
import TidemarkWire

extension Answer {
    /// Returns the `result` of `outbox.list`.
    static func outbox(_ statuses: [OutboxStatus]) -> [UInt8] {
        object { line in
            line.name("outbox")
            line.array { line in
                for status in statuses {
                    line.object { line in
                        line.outbox(status)
                        if status.failure == nil { line.member("error", json: nil) }
                    }
                }
            }
        }
    }
}

extension JSONLine {
    /// Writes the members of a request's progress; `error` only when there is one.
    mutating func outbox(_ status: OutboxStatus) {
        member("pending_id", Optional(status.pendingID))
        member("state", ByteString(status.state.rawValue))
        member("attempt", status.attempt)
        member("next_attempt_at", json: status.nextAttemptAt.map { Array("\($0)".utf8) })
        guard let failure = status.failure else { return }
        name("error")
        object { line in
            line.member("message", Optional(failure.message))
            if let code = failure.code { line.member("code", Optional(code)) }
        }
    }
}
