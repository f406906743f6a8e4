import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkViews

/// Checks the stored results of a database's views against fresh evaluations.
///
/// A writer may change entities and results meanwhile, always both in one transaction. So a difference counts only if
/// the record was the same before and after each of several evaluations.
struct ViewCheck {
    /// A record that is damaged or wrong.
    struct Wrong {
        let kind: ByteString
        let key: ByteString
        let problem: VerifyReport.Problem
    }

    private let reader: CacheReader
    private(set) var wrong: [Wrong] = []
    /// The number of stored results that are right.
    private(set) var soundCount: Int64 = 0

    /// How often a difference has to be seen: 3 times.
    private static let lookCount = 3

    /// Checks every stored result.
    ///
    /// Holds the entities of all types of a library's views in memory.
    init(_ reader: CacheReader) throws(Failure) {
        self.reader = reader
        var rules: [ByteString: ViewRule] = [:]
        for (key, body) in try reader.records(of: ViewRecord.kind) {
            guard let record = ViewRecord(key: key) else { continue }
            do throws(ViewRuleError) {
                rules[key] = try ViewRule(json: body)
            } catch {
                add(ViewRecord.kind, key, record, "its rule cannot be read: \(error.message)")
            }
        }
        let results = try reader.records(of: StoredResultCheck.kind)
        let libraries = Set(results.keys.map { ViewRecord(key: $0)?.library })
        for library in libraries.compactMap({ $0 }).sorted() {
            let own = results.keys.filter { ViewRecord(key: $0)?.library == library }.sorted()
            try check(own, results, rules, in: library)
        }
        for key in results.keys.sorted() where ViewRecord(key: key) == nil {
            add(StoredResultCheck.kind, key, ViewRecord(library: "", name: key), "the name of its record is damaged")
        }
    }

    /// Checks the results of one library.
    private mutating func check(
        _ keys: [ByteString], _ results: [ByteString: [UInt8]], _ rules: [ByteString: ViewRule], in library: ByteString
    ) throws(Failure) {
        let known = keys.compactMap { rules[$0] }
        let entities = try entities(of: known, in: library)
        for key in keys {
            guard let record = ViewRecord(key: key), let body = results[key] else { continue }
            guard let rule = rules[key] else {
                if try isStill(body, key), try reader.records(of: ViewRecord.kind)[key] == nil {
                    add(StoredResultCheck.kind, key, record, "a result is stored, and no view is defined")
                }
                continue
            }
            var problem = problem(body, rule, entities)
            for _ in 1..<ViewCheck.lookCount where problem != nil {
                guard try isStill(body, key) else {
                    problem = nil
                    continue
                }
                problem = self.problem(body, rule, try self.entities(of: [rule], in: library))
            }
            if let problem, try isStill(body, key) {
                add(StoredResultCheck.kind, key, record, problem)
            } else {
                soundCount += 1
            }
        }
    }

    private func isStill(_ body: [UInt8], _ key: ByteString) throws(Failure) -> Bool {
        try reader.records(of: StoredResultCheck.kind)[key] == body
    }

    /// The names of types that servers use for others; the file does not say which of them its cache was given.
    private static let aliases: [[ByteString: ByteString]] =
        [[:]]
        + CacheConfiguration.Profile.allCases.map { profile in
            var configuration = CacheConfiguration()
            configuration.apply(profile)
            return configuration.typeAliases
        }

    private func entities(of rules: [ViewRule], in library: ByteString) throws(Failure) -> FileEntities {
        var types = Set(rules.flatMap(\.types))
        for aliases in ViewCheck.aliases { types.formUnion(types.compactMap { aliases[$0] }) }
        return try FileEntities(reader, library: library, types: types.sorted())
    }

    private func problem(_ body: [UInt8], _ rule: ViewRule, _ entities: FileEntities) -> String? {
        var first: String?
        for aliases in ViewCheck.aliases {
            guard let found = StoredResultCheck.problem(body, of: rule, entities, types: aliases) else { return nil }
            first = first ?? found
        }
        return first
    }

    private mutating func add(_ kind: ByteString, _ key: ByteString, _ record: ViewRecord, _ what: String) {
        wrong.append(
            Wrong(kind: kind, key: key, problem: .view(name: record.name, library: record.library, what)))
    }

    // MARK: Use

    /// Verifies a database with its views. Those of a damaged file are not evaluated: rows may be missing.
    static func verify(_ reader: CacheReader) throws(Failure) -> (report: VerifyReport, wrong: [Wrong]) {
        var report = try reader.verify()
        guard report.isSound else { return (report, []) }
        let check = try ViewCheck(reader)
        for wrong in check.wrong { report.add(wrong.problem) }
        report.viewCount = check.soundCount
        return (report, check.wrong)
    }

    /// Removes wrong records, so that the views are computed again.
    ///
    /// - Returns: What was done.
    static func remove(_ wrong: [Wrong], from database: DatabaseOptions) async throws -> [RepairStep] {
        // The journal alone, because a cache would read the records that are wrong.
        let journal = try await database.openJournal()
        do throws(StorageError) {
            if try await journal.recover().isOpening { _ = try await journal.finishOpening() }
            var flush = FlushBatch()
            flush.attached = wrong.map { RecordChange(kind: $0.kind, key: $0.key, body: nil) }
            try await journal.commit(flush)
        } catch {
            try await journal.close()
            throw error
        }
        try await journal.close()
        return wrong.map { wrong in
            let isDefinition = wrong.kind == ViewRecord.kind
            return RepairStep(
                "removed the \(isDefinition ? "definition" : "stored result") of a view: \(wrong.problem)",
                advice: isDefinition ? "define the view again" : "")
        }
    }
}
