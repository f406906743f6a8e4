import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

extension Answer {
    /// Returns the `result` of `outbox.list`.
    static func outbox(_ statuses: [OutboxStatus]) -> [UInt8] {
        object { line in
            line.name("outbox")
            line.array { line in
                for status in statuses {
                    line.object { line in
                        line.outbox(status)
                        line.error(status.failure)
                    }
                }
            }
        }
    }
}

extension JSONLine {
    /// Writes the state of a pending edit's request, without `error`.
    mutating func outbox(_ status: OutboxStatus) {
        member("pending_id", Optional(status.pendingID))
        member("state", ByteString(status.state.rawValue))
        member("attempt", status.attempt)
        member("next_attempt_at", json: status.nextAttemptAt.map { Array("\($0)".utf8) })
    }
}
