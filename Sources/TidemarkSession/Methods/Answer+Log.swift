import Foundation
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// The result of `log.list`, and the events of `log.observe`.
///
/// - Source: Protocol/sessions.md, log.observe and log.list.
extension Answer {
    static func events(_ page: KeptEvents.Page, of kept: KeptEvents) -> [UInt8] {
        object { line in
            line.name("events")
            line.array { line in
                for event in page.events { line.value(event) }
            }
            line.member("next", json: page.next.map { Array("\($0)".utf8) })
            line.name("kept")
            line.object { line in
                line.member("events", kept.eventCount)
                line.member("bytes", kept.byteCount)
                line.member("bytes_max", kept.byteCountMax)
            }
        }
    }
}

extension JSONLine {
    /// Writes an event of the log.
    mutating func value(_ event: LoggedEvent) {
        object { $0.members(of: event) }
    }

    private mutating func members(of event: LoggedEvent) {
        member("library_id", event.library)
        member("sequence", event.sequence)
        member("kind", Optional(ByteString(event.kind.name)))
        member("bin", Optional(ByteString(event.bin.rawValue)))
        member("resource_type", event.type)
        name("keys")
        array { line in
            for key in event.keys { line.value(key) }
        }
        member("resources", event.resourceCount)
        member("at", event.at)
        member("line", json: event.line.map { Array("\($0)".utf8) })
        member("reason", event.reason.map { ByteString($0.code) })
        member("mutation_id", event.mutationID)
        member("late", event.isLate)
        if let number = event.number { member("number", number) }
    }

    fileprivate mutating func value(_ event: KeptEvent) {
        object { line in
            line.members(of: event.event)
            line.member("byte_count", event.byteCount)
            line.member("complete", event.isComplete)
            if let content = event.content {
                if String(validating: content, as: UTF8.self) != nil {
                    line.member("text", Optional(ByteString(content)))
                } else {
                    line.member("base64", Optional(ByteString(Data(content).base64EncodedString())))
                }
            }
            line.name("writes")
            line.array { line in
                for write in event.writes {
                    line.object { line in
                        line.member("key", Optional(write.key))
                        line.member("before", json: write.before)
                        line.member("after", json: write.after)
                    }
                }
            }
        }
    }
}

extension ChangeEvent.Kind {
    fileprivate var name: String {
        switch self {
        case .changed: "changed"
        case .batchChanged: "batch"
        case .deleted: "deleted"
        case .bulk: "bulk"
        case .refresh: "refresh"
        case .heartbeat: "heartbeat"
        case .reset: "reset"
        case .unknown: "unknown"
        case .unusable: "unusable"
        case .message: "message"
        }
    }
}
