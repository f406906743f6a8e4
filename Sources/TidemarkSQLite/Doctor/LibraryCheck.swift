import TidemarkModel
import TidemarkStore

/// Examines the state of each library, the quarantine and the evicted keys.
struct LibraryCheck {
    private let connection: OpaquePointer

    /// The most libraries that are reported one by one; the rest are counted.
    private static let namedCountMax = 20

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    func look(into examination: inout Examination) throws {
        let libraries = try LibraryTable.read(connection)
        let entityCount = libraries.reduce(0) { $0 + $1.entityCount }
        examination.add(
            .ok, .contents, .libraries,
            "\(counted(entityCount, "entity", "entities")) in \(counted(libraries.count, "library", "libraries"))")
        report(libraries.filter { !$0.lost.isEmpty }, &examination) { library in
            let ranges = library.lost.prefix(3).map { "\($0.first.rawValue)–\($0.last.rawValue)" }
            let rest = library.lost.count - ranges.count
            return Finding(
                .warning, .contents, .lost,
                "no upstream had \(ranges.joined(separator: ", "))\(rest > 0 ? " and \(rest) more ranges" : "")",
                at: LibraryCheck.place(library.name),
                advice: "their entities may be older than the server's: feed a complete log into a new database")
        }
        report(libraries.filter { $0.isStale && $0.lost.isEmpty }, &examination) { library in
            Finding(
                .note, .contents, .stale, "the library is stale: its lists may be older than the server's",
                at: LibraryCheck.place(library.name), advice: "refresh a query of it, or feed its log from the start")
        }
        try lookAtQuarantine(&examination)
        try lookAtEvicted(&examination)
    }

    private func report(
        _ libraries: [LibraryRecord], _ examination: inout Examination, _ finding: (LibraryRecord) -> Finding
    ) {
        examination.findings += libraries.prefix(LibraryCheck.namedCountMax).map(finding)
        let rest = libraries.count - LibraryCheck.namedCountMax
        guard rest > 0, let first = libraries.first.map(finding) else { return }
        examination.findings.append(
            Finding(
                first.level, .contents, first.code,
                "the same is true for \(counted(rest, "more library", "more libraries"))",
                advice: "tidemark gaps lists them all"))
    }

    static func place(_ library: ByteString) -> String { "library \"\(library)\"" }

    private func lookAtQuarantine(_ examination: inout Examination) throws {
        var reasons: [(name: String, count: Int64)] = []
        let statement = try PreparedStatement(
            connection, "SELECT reason, count(*) FROM quarantine GROUP BY reason ORDER BY 2 DESC, 1")
        try statement.forEachRow { reasons.append(($0.text(0).description, $0.integer(1))) }
        guard !reasons.isEmpty else {
            examination.add(.ok, .contents, .quarantine, "the quarantine is empty")
            return
        }
        let count = reasons.reduce(0) { $0 + $1.count }
        let names = reasons.prefix(5).map { "\($0.count) \($0.name)" }.joined(separator: ", ")
        examination.add(
            .warning, .contents, .quarantine,
            "\(counted(count, "line or member", "lines or members")) could not be used: \(names)",
            advice: "tidemark quarantine list shows them, tidemark quarantine retry reads them again")
    }

    /// Reports the evicted keys. The last record of each key decides whether the key is still evicted.
    private func lookAtEvicted(_ examination: inout Examination) throws {
        var gone: Set<UInt64> = []
        var damaged: [Int64] = []
        try EvictedTable.forEach(connection) { number, row in
            switch row {
            case .damaged: damaged.append(number)
            case .records(let records):
                for record in records {
                    let key = record.hash ^ UInt64(record.library)
                    if record.isBack { gone.remove(key) } else { gone.insert(key) }
                }
            }
        }
        if !gone.isEmpty {
            examination.add(
                .note, .contents, .evicted,
                "\(counted(gone.count, "entity was", "entities were")) evicted, and their keys are remembered",
                advice: "raise --max-entities or --disk-limit-kb if reads miss evicted entities too often")
        }
        for number in damaged {
            examination.add(
                .problem, .contents, .evictedDamaged, "row \(number) of the evicted keys fails its check",
                advice: "nothing: its keys count as never seen, and the next writer removes the row")
        }
    }
}
