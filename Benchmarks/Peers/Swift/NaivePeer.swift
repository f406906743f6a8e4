import Foundation
import GRDB

/// The design that many would write first.
///
/// Work: `JSONDecoder` decodes each line, of which it needs the id. The line is kept in `[String: Data]`, and a reader
/// decodes it again. For every event, an array of queries is scanned, each with its ids in order and as a set; a query
/// that contains the entity calls its observer, which counts. GRDB also writes the same lines to SQLite, 1,000 a
/// transaction through a prepared statement; write-ahead, `synchronous` FULL.
///
/// Fairness: no line is encoded as JSON again, a query looks ids up and compares no strings, and an observer is a
/// closure: no task is woken, and nothing is decoded for it. A new process first reads everything into memory, as the
/// design requires.
///
/// Missing: order of events, gaps, equal writes, memory limits, edits that can be rolled back.
enum NaivePeer: Peer {
    /// The part of a resource that the design needs.
    private struct Head: Decodable {
        var id: String
    }

    /// A list and its observer.
    private struct Query {
        var ids: [String]
        var members: Set<String>
        var observer: (String, Data?) -> Void
    }

    /// The lines in memory and their copies in a database.
    private final class Cache {
        private var entities: [String: Data] = [:]
        private var queries: [Query] = []
        private var waiting: [(String, Data?)] = []
        private let database: DatabasePool
        private let decoder = JSONDecoder()

        init(_ folder: URL) throws {
            database = try DatabasePool(path: folder.appending(path: "naive.db").path)
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try database.execute(
                    sql: "CREATE TABLE IF NOT EXISTS entity (id TEXT PRIMARY KEY NOT NULL, line BLOB NOT NULL)")
            }
        }

        /// Adds a list and the closure that observes it.
        func observe(_ ids: [String], _ observer: @escaping (String, Data?) -> Void) {
            queries.append(Query(ids: ids, members: Set(ids), observer: observer))
        }

        /// Applies one line to memory, calls the affected observers, and writes every 1,000 changes to the database.
        func apply(_ line: Data) throws {
            let event = try decoder.decode(Envelope<Head>.self, from: line).event
            guard let id = event.changed?.resource.id ?? event.deleted?.id else { return }
            let value = event.changed == nil ? nil : line
            entities[id] = value
            for index in queries.indices where queries[index].members.contains(id) {
                if value == nil {
                    queries[index].members.remove(id)
                    queries[index].ids.removeAll { $0 == id }
                }
                queries[index].observer(id, value)
            }
            waiting.append((id, value))
            if waiting.count == 1_000 { try commit() }
        }

        /// Writes the waiting changes in one transaction.
        func commit() throws {
            try database.write { database in
                let upsert = try database.cachedStatement(
                    sql: "INSERT INTO entity VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET line = excluded.line")
                let delete = try database.cachedStatement(sql: "DELETE FROM entity WHERE id = ?")
                for (id, line) in waiting {
                    if let line {
                        try upsert.execute(arguments: [id, line])
                    } else {
                        try delete.execute(arguments: [id])
                    }
                }
            }
            waiting = []
        }

        /// Returns the lines of a list's entities.
        func list(_ number: Int) -> [Data] { queries[number].ids.compactMap { entities[$0] } }

        /// Returns a list's entities as Swift values.
        func decodedList(_ number: Int) throws -> [FileRecord] {
            try list(number).compactMap {
                try decoder.decode(Envelope<FileRecord>.self, from: $0).event.changed?.resource
            }
        }

        /// Reads all lines of the database into memory.
        func readAll() throws {
            try database.read { database in
                let rows = try Row.fetchCursor(database, sql: "SELECT id, line FROM entity")
                while let row = try rows.next() { entities[row[0]] = row[1] }
            }
        }

        /// Returns the line of an entity; nil if it is absent.
        func entity(_ id: String) -> Data? { entities[id] }

        func close() throws { try database.close() }
    }

    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures {
        var figures = Figures()
        let cache = try Cache(scratch)
        figures.loadPerSecond =
            workload.count("load")
            / (try Machine.seconds {
                try workload.forEachLine("load") { try cache.apply(Data($0)) }
                try cache.commit()
            })
        var told = 0
        var due: Int64?
        var latencies: [Int64] = []
        for ids in workload.lists {
            cache.observe(ids) { _, _ in
                told += 1
                if let due { latencies.append(Machine.now() - due) }
            }
        }
        let updatePerSecond =
            workload.count("update", "delete")
            / (try Machine.seconds {
                try workload.forEachLine("update", "delete") { try cache.apply(Data($0)) }
                try cache.commit()
            })
        figures.updatePerSecond = updatePerSecond
        figures.observers = workload.lists.count
        figures.notifications = told
        figures.memoryBytes = try Machine.peakByteCount()

        let rate = Figures.rate(updatePerSecond: updatePerSecond)
        try pace(try workload.lines("paced", countMax: Int(rate * 2)), rate: rate) { line, moment in
            due = moment
            try cache.apply(line)
        }
        due = nil
        figures.setLatencies(latencies, rate: rate)

        var (changed, again, decoded): ([Double], [Double], [Double]) = ([], [], [])
        for (number, line) in try workload.lines("touch").enumerated() {
            try cache.apply(line)
            var count = 0
            changed.append(Machine.seconds { count += cache.list(number).count } * 1e3)
            again.append(Machine.seconds { count += cache.list(number).count } * 1e3)
            decoded.append(try Machine.seconds { count += try cache.decodedList(number).count } * 1e3)
            guard count > 0, count % 3 == 0 else { throw PeerError("a list is not what it was a moment before") }
        }
        (figures.listMs, figures.listUnchangedMs, figures.listDecodedMs) = (
            changed.median, again.median, decoded.median
        )
        try cache.commit()
        try cache.close()
        figures.diskBytes = try Machine.byteCount(of: scratch)
        let id = try JSONDecoder().decode(Envelope<Head>.self, from: workload.lines("touch")[0]).event.changed?.resource
            .id
        figures.coldStartMs = try Machine.answerTime("naive", scratch: scratch, ["--answer", id ?? ""])
        return figures
    }

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        let cache = try Cache(scratch)
        try cache.readAll()
        return cache.entity(id).map { String(decoding: $0, as: UTF8.self) }
    }

    static func answerList(in scratch: URL) async throws -> String? { nil }
}
