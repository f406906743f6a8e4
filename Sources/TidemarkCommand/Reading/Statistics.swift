import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkJSON
import TidemarkModel
import TidemarkSQLite
import TidemarkSession
import TidemarkStore

/// The output of `stats` for a database that no engine has open.
struct Statistics {
    var libraries: [ReadLibrary]
    var counts: EventCounts
    var ignoredKinds: [ByteString: Int64]
    var byteCount: Int64
    var queryCount: Int64
    var layerCount: Int64
    /// The totals of stored HTTP responses.
    var http: HTTPTotals
    /// The defined views, with the rows and bytes of their stored results.
    var views: StoredViews
    var freeByteCount: Int64
    /// The default memory limit of a cache on this machine, in bytes.
    var memoryByteCountMax: Int

    /// Reads the statistics of a database.
    ///
    /// - Throws: ``Failure`` if the database cannot be read.
    init(of reader: CacheReader) throws(Failure) {
        libraries = try reader.libraries()
        counts = try reader.counts()
        ignoredKinds = try reader.ignoredKinds()
        byteCount = reader.byteCount
        queryCount = try reader.queryCount()
        layerCount = try reader.layerCount()
        freeByteCount = try reader.freeByteCount()
        http = try reader.httpTotals()
        views = try StoredViews { (kind) throws(Failure) in try reader.records(of: kind) }
        memoryByteCountMax = LimitOptions.memoryByteCountDefault
    }

    private var entityCount: Int64 { libraries.reduce(0) { $0 + $1.entityCount } }

    /// The statistics as JSON.
    ///
    /// - Source: Protocol/schema/stats.schema.json.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("entities", entityCount)
            line.member("queries", queryCount)
            line.member("observers", 0)
            line.member("pending", layerCount)
            line.member("memory_bytes", 0)
            line.member("memory_limit_bytes", memoryByteCountMax)
            line.member("disk_bytes", byteCount)
            line.httpTotals(http)
            if views.count > 0 {
                line.member("views", views.count)
                line.member("view_rows", views.rowCount)
                line.member("view_bytes", views.byteCount)
            }
            line.member("free_disk_bytes", freeByteCount)
            line.member("reads_per_second", 0)
            line.member("writes_per_second", 0)
            line.member("stored_bytes", 0)
            line.member("log_bytes", 0)
            line.member("hits", 0)
            line.name("misses")
            line.object { _ in }
            line.member("evictions", 0)
            line.member("notifications", 0)
            line.libraries(libraries.map(\.status))
            line.member("storage", "ok" as ByteString?)
            line.counts(counts)
            line.name("ignored_kinds")
            line.object { line in
                for (name, count) in ignoredKinds.sorted(by: { $0.key < $1.key }) { line.member(name, count) }
            }
        }
        return line.bytes
    }

    func write(to output: Output) throws(Failure) {
        var rows: [(String, String)] = [
            ("entities", HumanText.count(entityCount)),
            ("queries", HumanText.count(queryCount)),
            ("pending edits", HumanText.count(layerCount)),
            ("libraries", HumanText.count(libraries.count)),
            ("on disk", HumanText.byteCount(byteCount)),
            ("  free, used again", HumanText.byteCount(freeByteCount)),
            ("memory limit here", HumanText.byteCount(Int64(memoryByteCountMax))),
            ("lines read", HumanText.count(counts.lines)),
            ("events", HumanText.count(counts.events)),
            ("  applied", HumanText.count(counts.applied)),
            ("  duplicate", HumanText.count(counts.duplicate)),
            ("  ignored", HumanText.count(counts.ignored)),
            ("  quarantined", HumanText.count(counts.quarantined)),
            ("  held, never applied", HumanText.count(counts.held)),
            ("members quarantined", HumanText.count(counts.membersQuarantined)),
            ("reconciled", HumanText.count(counts.reconciled)),
            ("late, lost before", HumanText.count(counts.late)),
        ]
        if http.answerCount > 0 {
            let text = "\(HumanText.count(Int(http.answerCount))), \(HumanText.byteCount(http.byteCount))"
            rows.insert(("HTTP answers", text), at: 3)
        }
        if views.count > 0 {
            rows.insert(("views", "\(HumanText.count(views.count)), \(views.stored)"), at: 2)
        }
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            try output.writeLine(name + String(repeating: " ", count: width - name.count + 2) + value)
        }
        for (name, count) in ignoredKinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
            try output.writeLine("  ignored \(Printable.text(name)): \(HumanText.count(count))")
        }
    }
}
