import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// The results of the methods for entities and queries, and of `cache.stats` and `cache.explain`.
///
/// - Source: Protocol/sessions.md.
extension Answer {
    static func entity(_ read: EntityRead, subscription: SubscriptionID? = nil) -> [UInt8] {
        object { line in
            line.member("entity", json: read.entity)
            line.member("pending", read.isPending)
            line.member("sequence", read.sequence)
            line.member("stale", read.isStale)
            line.member("miss", read.miss.map { ByteString($0.rawValue) })
            if let expired = read.expired {
                line.name("expired")
                line.object { line in
                    line.member("field", Optional(expired.field))
                    line.member("written_at", expired.writtenAt)
                    line.member("max_age", expired.maxAge)
                }
            }
            if let subscription { line.member("subscription", subscription.rawValue) }
        }
    }

    static func page(_ page: EntityPage) -> [UInt8] {
        object { line in
            line.resources(page.entities)
            line.member("next", page.next?.text)
        }
    }

    static func query(_ answer: QueryAnswer, subscription: SubscriptionID? = nil) -> [UInt8] {
        object { line in
            line.query(answer)
            if let subscription { line.member("subscription", subscription.rawValue) }
        }
    }

    static func place(_ status: LibraryStatus) -> [UInt8] {
        object { line in
            line.member("cursor", status.cursor)
            line.member("state", ByteString(status.phase.rawValue))
        }
    }

    /// Returns the `result` of `cache.stats`.
    ///
    /// - Parameter families: Writes the members of the families.
    static func statistics(_ statistics: CacheStatistics, _ families: (inout JSONLine) -> Void) -> [UInt8] {
        object { line in
            line.member("entities", statistics.entityCount)
            line.member("queries", statistics.queryCount)
            line.member("observers", statistics.observerCount)
            line.member("pending", statistics.pendingCount)
            line.member("memory_bytes", statistics.memoryByteCount)
            line.member("memory_limit_bytes", statistics.memoryByteCountMax)
            line.member("disk_bytes", statistics.diskByteCount)
            families(&line)
            line.member("free_disk_bytes", statistics.freeDiskByteCount)
            line.member("merge_debt_bytes", statistics.mergeDebtByteCount)
            line.member("reads_per_second", statistics.readsPerSecond)
            line.member("writes_per_second", statistics.writesPerSecond)
            line.member("stored_bytes", statistics.storedByteCount)
            line.member("log_bytes", statistics.logByteCount)
            line.member("hits", statistics.hitCount)
            line.name("misses")
            line.object { line in
                for miss in EntityRead.Miss.allCases {
                    line.member(ByteString(miss.rawValue), statistics.missCounts[miss] ?? 0)
                }
            }
            line.member("evictions", statistics.evictionCount)
            line.member("notifications", statistics.notificationCount)
            line.libraries(statistics.libraries.sorted { $0.library < $1.library })
            line.member("storage", ByteString(statistics.storageError?.code.rawValue ?? "ok"))
            line.counts(statistics.counts)
            line.name("ignored_kinds")
            line.object { line in
                for (name, count) in statistics.ignoredKinds.sorted(by: { $0.key < $1.key }) {
                    line.member(name, count)
                }
            }
        }
    }

    static func explanation(_ explanation: EntityExplanation) -> [UInt8] {
        object { line in
            line.member("miss", explanation.miss.map { ByteString($0.rawValue) })
            line.member("deletion", json: explanation.deletion.map { deletion in object { $0.writing(deletion) } })
            line.name("fields")
            line.array { line in
                for field in explanation.fields {
                    line.object { line in
                        line.member("name", Optional(field.name))
                        line.writing(field)
                        line.member("age", field.age)
                        line.member("max_age", json: field.maxAge.map { Array("\($0)".utf8) })
                        line.member("rule", field.rule.map { ByteString($0.rawValue) })
                        line.member("stale", field.isStale)
                    }
                }
            }
            line.name("layers")
            line.array { line in
                for pendingID in explanation.layers { line.value(pendingID) }
            }
            line.name("queries")
            line.array { line in
                for place in explanation.queries { line.value(place) }
            }
            line.member("observers", explanation.observerCount)
        }
    }
}

extension JSONLine {
    fileprivate mutating func resources(_ resources: [[UInt8]]) {
        name("entities")
        array { line in
            for resource in resources { line.value(json: resource) }
        }
    }

    /// Writes the members of a query's answer.
    mutating func query(_ answer: QueryAnswer) {
        resources(answer.entities)
        name("keys")
        array { line in
            for key in answer.keys { line.value(key.text) }
        }
        member("source", ByteString(answer.source.rawValue))
        member("stale", answer.isStale)
        member("as_of", answer.asOf)
        member("pending", answer.isPending)
    }

    fileprivate mutating func writing(_ field: EntityExplanation.Field) {
        member("writer", ByteString(field.writer.rawValue))
        member("sequence", field.sequence)
        member("written_at", field.writtenAt)
    }

    fileprivate mutating func value(_ place: EntityExplanation.Place) {
        object { line in
            line.member("library_id", Optional(place.query.library))
            line.member("method", Optional(place.query.method))
            line.member("input", json: Optional(place.query.input.bytes))
            line.member("index", place.index)
            line.member("stale", place.isStale)
        }
    }
}
