import Foundation
import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// The results of the methods for looking at a cache.
///
/// - Source: Protocol/sessions.md, looking at a cache.
extension Answer {
    /// Returns the `result` of `entity.get` with `base`.
    static func base(
        _ base: EntityBase, of key: EntityKey, fields: [EntityExplanation.Field], isStale: Bool, wanted: Set<[UInt8]>?
    ) -> [UInt8] {
        object { line in
            line.member("entity", json: base.payload)
            line.member("pending", !base.layers.isEmpty)
            line.member("sequence", base.sequence)
            line.member("stale", isStale)
            line.member("miss", base.miss.map { ByteString($0.rawValue) })
            line.name("fields")
            line.array { line in
                for field in fields where wanted?.contains(field.name.bytes) ?? true { line.value(field) }
            }
            line.name("layers")
            line.array { line in
                for layer in base.layers { line.value(layer, of: key) }
            }
        }
    }

    static func found(_ found: FoundEntities) -> [UInt8] {
        object { line in
            line.name("entities")
            line.array { line in
                for entity in found.entities { line.value(json: entity) }
            }
            line.name("keys")
            line.array { line in
                for key in found.keys { line.value(key.text) }
            }
            line.member("next", found.next?.text)
            line.member("read", found.readCount)
        }
    }

    static func queries(_ queries: [QueryListing], next: Int64?) -> [UInt8] {
        object { line in
            line.name("queries")
            line.array { line in
                for query in queries { line.value(query) }
            }
            line.member("next", json: next.map { Array("\($0)".utf8) })
        }
    }

    static func quarantine(_ records: [QuarantineRecord], next: Int64?) -> [UInt8] {
        object { line in
            line.name("quarantine")
            line.array { line in
                for record in records { line.value(record) }
            }
            line.member("next", json: next.map { Array("\($0)".utf8) })
        }
    }

    static func retried(_ counts: SyncCache.RetryCounts) -> [UInt8] {
        object { line in
            line.member("retried", counts.total)
            line.member("applied", counts.applied)
            line.member("superseded", counts.superseded)
            line.member("remaining", counts.refused)
        }
    }

    static func findings(_ findings: [JournalFinding]) -> [UInt8] {
        object { line in
            line.member("level", Optional(ByteString(name(of: findings.map(\.level).max() ?? .ok))))
            line.name("findings")
            line.array { line in
                for finding in findings {
                    line.object { line in
                        line.member("level", Optional(ByteString(name(of: finding.level))))
                        line.member("topic", Optional(ByteString(finding.topic)))
                        line.member("code", Optional(ByteString(finding.code)))
                        line.member("what", Optional(ByteString(finding.what)))
                        line.member("where", Optional(ByteString(finding.place)))
                        line.member("advice", Optional(ByteString(finding.advice)))
                    }
                }
            }
        }
    }

    private static func name(of level: JournalFinding.Level) -> String {
        switch level {
        case .ok: "ok"
        case .note: "note"
        case .warning: "warning"
        case .problem: "problem"
        }
    }

    static func facets(_ counts: [SyncCache.TypeCount], _ libraries: [LibraryStatus], _ bins: EventCounts) -> [UInt8] {
        object { line in
            line.name("types")
            line.array { line in
                for count in counts {
                    line.object { line in
                        line.member("library_id", Optional(count.library))
                        line.member("resource_type", Optional(count.type))
                        line.member("entities", count.count)
                    }
                }
            }
            line.name("libraries")
            line.array { line in
                for status in libraries {
                    line.object { line in
                        line.member("library_id", Optional(status.library))
                        line.member("state", Optional(ByteString(status.phase.rawValue)))
                        line.member(
                            "entities", counts.reduce(0) { $0 + ($1.library == status.library ? $1.count : 0) })
                    }
                }
            }
            line.name("bins")
            line.object { line in
                line.member("applied", bins.applied)
                line.member("duplicate", bins.duplicate)
                line.member("ignored", bins.ignored)
                line.member("quarantined", bins.quarantined)
                line.member("held", bins.held)
                line.member("reconciled", bins.reconciled)
            }
        }
    }
}

extension EntityBase {
    /// Why there is no base value, or only part of one; nil if it is complete.
    fileprivate var miss: EntityRead.Miss? {
        if payload != nil { return isReduced ? .evicted : nil }
        if isDeleted { return .deleted }
        return wasEvicted ? .evicted : .absent
    }
}

extension JSONLine {
    fileprivate mutating func value(_ field: EntityExplanation.Field) {
        object { line in
            line.member("name", Optional(field.name))
            line.member("writer", Optional(ByteString(field.writer.rawValue)))
            line.member("sequence", field.sequence)
            line.member("written_at", field.writtenAt)
        }
    }

    fileprivate mutating func value(_ layer: EntityBase.Layer, of key: EntityKey) {
        object { line in
            line.member("pending_id", Optional(layer.pendingID))
            let state: PendingLayer.State = layer.isOrphaned ? .orphaned : layer.isConfirmed ? .confirmed : .pending
            line.member("state", Optional(ByteString(state.rawValue)))
            line.member("created_at", layer.createdAt)
            line.name("changes")
            line.array { line in
                for change in layer.changes { line.value(SyncCache.operation(key, change)) }
            }
        }
    }

    fileprivate mutating func value(_ query: QueryListing) {
        object { line in
            line.member("number", query.number)
            line.member("library_id", Optional(query.key.library))
            line.member("method", Optional(query.key.method))
            line.member("input", json: Optional(query.key.input.bytes))
            line.member("resource_type", query.type)
            line.member("count", query.elementCount)
            line.member("local", query.isLocal)
            line.member("membership", json: query.membership)
            line.member("tags", json: query.tags)
            line.member("as_of", query.asOf)
            line.member("stored_at", json: query.storedAt.map { Array("\($0)".utf8) })
            line.member("ttl", json: query.timeToLive.map { Array(JSONLine.seconds($0).utf8) })
            line.member("stale", query.staleCause != nil)
            line.member("reason", query.staleCause.map { ByteString($0.rawValue) })
            line.member("stale_since", json: query.staleSince.map { Array("\($0)".utf8) })
            line.member("pending", query.isPending)
            line.member("observers", query.observerCount)
            line.member("hits", query.hitCount)
            guard let fetch = query.fetch else { return }
            line.name("fetch")
            line.object { line in
                line.member("at", fetch.at)
                line.member("took", fetch.took)
                line.member("error", fetch.failure.map { ByteString($0) })
            }
        }
    }

    /// Writes a quarantine record. The kept part of the line is `text`, or `base64` if it is not UTF-8.
    fileprivate mutating func value(_ record: QuarantineRecord) {
        object { line in
            line.member("number", json: record.number.map { Array("\($0)".utf8) })
            line.member("kind", Optional(ByteString(record.kind.name)))
            line.member("reason", Optional(ByteString(record.reason.code)))
            line.member("message", Optional(ByteString(record.message)))
            line.member("line", record.line)
            line.member("offset", record.offset)
            line.member("library_id", record.library)
            line.member("sequence", record.sequence)
            line.member("received_at", record.receivedAt)
            line.member("byte_count", record.byteCount)
            line.member("complete", record.isComplete)
            line.name("place")
            if let place = record.place {
                line.object { line in
                    line.member("offset", place.lowerBound)
                    line.member("count", place.count)
                }
            } else {
                line.value(json: Message.nullID)
            }
            if String(validating: record.bytes, as: UTF8.self) != nil {
                line.member("text", Optional(ByteString(record.bytes)))
            } else {
                line.member("base64", Optional(ByteString(Data(record.bytes).base64EncodedString())))
            }
        }
    }

}

extension QuarantineRecord.Kind {
    fileprivate var name: String {
        switch self {
        case .line: "line"
        case .member: "member"
        case .upstream: "upstream"
        }
    }
}
