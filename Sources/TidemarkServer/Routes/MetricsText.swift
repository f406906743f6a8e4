import Tidemark
import TidemarkModel

/// Builds the text of `/metrics`.
///
/// - Source: Prometheus, exposition formats, version 0.0.4.
struct MetricsText: Sendable {
    private(set) var bytes: [UInt8] = []

    /// The maximum number of libraries, or ignored kinds, with their own series; further ones are left out.
    static let seriesCountMax = 1_000
    private static let prefix = "tidemark_"

    mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        write(name, "counter", help, [([], value)])
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Int64) { write(name, "gauge", help, [([], value)]) }

    /// Writes one metric with several labelled values.
    mutating func write(
        _ name: String, _ kind: String, _ help: String, _ values: [(labels: [(String, ByteString)], value: Int64)]
    ) {
        guard !values.isEmpty else { return }
        begin(name, kind, help)
        for (labels, value) in values.prefix(MetricsText.seriesCountMax) { line(name, labels, String(value)) }
    }

    /// Writes the histogram of flush durations, and the count of failed flushes.
    mutating func flushes(_ times: FlushTimes) {
        begin("flush_seconds", "histogram", "How long flushes took until they were on the disk.")
        var count: Int64 = 0
        for (bin, bound) in FlushTimes.bounds.enumerated() {
            count += times.counts[bin]
            line("flush_seconds_bucket", [("le", ByteString(MetricsText.seconds(bound)))], String(count))
        }
        line("flush_seconds_bucket", [("le", "+Inf")], String(times.committedCount))
        line("flush_seconds_sum", [], MetricsText.seconds(Int64(times.total / .milliseconds(1))))
        line("flush_seconds_count", [], String(times.committedCount))
        counter("flush_failures", "The flushes that failed and were tried again.", times.failedCount)
    }

    private mutating func begin(_ name: String, _ kind: String, _ help: String) {
        bytes += "# HELP \(MetricsText.prefix)\(name) \(help)\n# TYPE \(MetricsText.prefix)\(name) \(kind)\n".utf8
    }

    private mutating func line(_ name: String, _ labels: [(String, ByteString)], _ value: String) {
        bytes += MetricsText.prefix.utf8
        bytes += name.utf8
        if !labels.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            for (index, label) in labels.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += "\(label.0)=\"".utf8
                append(escaped: label.1)
                bytes.append(UInt8(ascii: "\""))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += " \(value)\n".utf8
    }

    private mutating func append(escaped text: ByteString) {
        for byte in text.description.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            default: bytes.append(byte)
            }
        }
    }

    /// Formats milliseconds as seconds with three decimals.
    private static func seconds(_ milliseconds: Int64) -> String {
        let decimals = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "\(milliseconds / 1_000).\(decimals)"
    }
}

extension MetricsText {
    /// Writes all counters of `cache.stats`.
    mutating func statistics(_ statistics: CacheStatistics) {
        gauge("entities", "The entities in memory and on disk.", statistics.entityCount)
        gauge("queries", "The stored queries.", Int64(statistics.queryCount))
        gauge("observers", "The observers of queries, entities and documents.", Int64(statistics.observerCount))
        gauge("pending", "The pending edits.", Int64(statistics.pendingCount))
        gauge("memory_bytes", "The memory of entities.", Int64(statistics.memoryByteCount))
        gauge("memory_limit_bytes", "The limit of memory_bytes.", Int64(statistics.memoryByteCountMax))
        gauge("disk_bytes", "The size of the database.", statistics.diskByteCount)
        gauge(
            "free_disk_bytes", "The bytes of the database that wait to be used again or given back.",
            statistics.freeDiskByteCount)
        gauge(
            "merge_debt_bytes", "The bytes of replaced and removed entities that are still to be merged away.",
            statistics.mergeDebtByteCount)
        gauge("reads_per_second", "The entities read from the database, over ten seconds.", statistics.readsPerSecond)
        gauge(
            "writes_per_second", "The entities written to the database or removed from it, over ten seconds.",
            statistics.writesPerSecond)
        counter("stored_bytes", "The bytes of entities that were written.", statistics.storedByteCount)
        counter("log_bytes", "The bytes that were written to the log of the database.", statistics.logByteCount)
        counter("hits", "The reads that found what they asked for.", statistics.hitCount)
        write(
            "misses", "counter", "The reads that did not, by reason.",
            EntityRead.Miss.allCases.map { ([("reason", ByteString($0.rawValue))], statistics.missCounts[$0] ?? 0) })
        counter(
            "evictions", "The entities that were evicted from memory or from both tiers, or reduced.",
            Int64(statistics.evictionCount))
        counter("notifications", "The notifications of observers.", statistics.notificationCount)
        gauge("storage_ok", "1 while the database can be written.", statistics.storageError == nil ? 1 : 0)
        counts(statistics.counts)
        write(
            "ignored_kinds", "counter", "The ignored events, by kind.",
            statistics.ignoredKinds.sorted { $0.key < $1.key }.map { ([("kind", $0.key)], $0.value) })
        libraries(statistics.libraries.sorted { $0.library < $1.library })
    }

    private mutating func counts(_ counts: EventCounts) {
        counter("lines", "The lines that were read.", counts.lines)
        write(
            "events", "counter", "The events, by outcome.",
            [
                ([("bin", "applied")], counts.applied), ([("bin", "duplicate")], counts.duplicate),
                ([("bin", "ignored")], counts.ignored), ([("bin", "quarantined")], counts.quarantined),
                ([("bin", "held")], counts.held),
            ])
        counter("members_quarantined", "The members of batches that went to quarantine.", counts.membersQuarantined)
        counter("reconciled", "The events that an upstream returned.", counts.reconciled)
        counter("late", "The events that came after they were declared lost.", counts.late)
        counter("blank", "The blank lines.", counts.blank)
        counter("control", "The control lines.", counts.control)
        counter("messages", "The lines that are messages.", counts.messages)
    }

    private mutating func libraries(_ libraries: [LibraryStatus]) {
        write(
            "library_sequence", "gauge", "The position of each library.",
            libraries.compactMap { status in
                status.cursor.map { ([("library_id", status.library)], $0.rawValue) }
            })
        write(
            "library_live", "gauge", "1 while nothing is missing in a library.",
            libraries.map { ([("library_id", $0.library)], $0.phase.rawValue == "live" ? 1 : 0) })
        write(
            "library_lost_ranges", "gauge", "The ranges of numbers that no source had.",
            libraries.map { ([("library_id", $0.library)], Int64($0.lost.count)) })
    }

    /// Writes how far each library is behind its log.
    mutating func lags(_ lags: [(library: ByteString, count: Int64)]) {
        write(
            "event_lag", "gauge", "The numbers between a library's position and the highest known one.",
            lags.sorted { $0.library < $1.library }.map { ([("library_id", $0.library)], $0.count) })
    }
}

extension LiveCache {
    func metrics() async -> MetricsText {
        var text = MetricsText()
        text.statistics(await cache.statistics())
        text.lags(await cache.lags)
        text.gauge("held_events", "The events that wait for a missing one.", Int64(await cache.heldEventCount))
        text.flushes(await cache.flushTimes)
        return text
    }
}
