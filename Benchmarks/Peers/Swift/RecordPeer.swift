import Foundation
import GRDB

/// A file as a Codable record with a column for each field; fields that are not plain values are JSON.
struct FileRecord: Codable, Sendable, FetchableRecord, PersistableRecord {
    struct ContentIdentity: Codable, Sendable {
        var uuid: String
        var kind: String
        var integrity_hash: String
        var entry_count: Int
    }

    static let databaseTableName = "file"

    var id: String
    var name: String
    var path: String
    var `extension`: String
    var size: Int64
    var kind: String
    var tags: [String]
    var favorite: Bool
    var created_at: String
    var modified_at: String
    var content_identity: ContentIdentity
}

/// GRDB records, used as its documentation shows them.
///
/// Work: `JSONDecoder` decodes each line, and the record is written with `upsert` or `deleteOne`, 1,000 lines a
/// transaction; write-ahead, `synchronous` FULL. For each change, a query of the table of list members, which is
/// indexed by entity, counts the lists that contain the entity. That is the number of notifications that would be
/// needed; no observer is notified. `ValueObservation` is not used: each of 100 would read its list of 1,000 again
/// after every transaction.
///
/// Lists are read by a join, as records. The memory is that of the process, including SQLite's cache.
///
/// Missing: observers, order of events, gaps, edits that can be rolled back.
enum RecordPeer: Peer {
    private static let list = "SELECT file.* FROM member JOIN file USING (id) WHERE list = ? ORDER BY position"

    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures {
        var figures = Figures()
        let pool = try open(scratch)
        try create(pool)
        figures.loadPerSecond =
            workload.count("load") / (try Machine.seconds { _ = try apply(workload, ["load"], to: pool) })
        try put(workload.lists, into: pool)
        var told = 0
        figures.updatePerSecond =
            workload.count("update", "delete")
            / (try Machine.seconds { told = try apply(workload, ["update", "delete"], to: pool) })
        figures.notifications = told
        figures.memoryBytes = try Machine.peakByteCount()

        var (changed, again): ([Double], [Double]) = ([], [])
        var id = ""
        for (number, line) in try workload.lines("touch").enumerated() {
            _ = try apply([line], to: pool)
            if number == 0 { id = try changedID(line) }
            var counts: [Int] = []
            changed.append(try Machine.seconds { counts.append(try read(number, pool).count) } * 1e3)
            again.append(try Machine.seconds { counts.append(try read(number, pool).count) } * 1e3)
            guard counts[0] > 0, counts[0] == counts[1] else { throw PeerError("list \(number) has \(counts) files") }
        }
        (figures.listMs, figures.listUnchangedMs, figures.listDecodedMs) = (
            changed.median, again.median, changed.median
        )
        try pool.close()
        figures.diskBytes = try Machine.byteCount(of: scratch)
        figures.coldStartMs = try Machine.answerTime("grdb", scratch: scratch, ["--answer", id])
        figures.firstAnswerMs = try Machine.answerTime("grdb", scratch: scratch, ["--answer-list"])
        return figures
    }

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        try await open(scratch).read { try FileRecord.fetchOne($0, key: id) }?.name
    }

    static func answerList(in scratch: URL) async throws -> String? {
        let files = try read(0, try open(scratch))
        return files.isEmpty ? nil : "\(files.count)"
    }

    // MARK: The database

    /// Opens the database with `synchronous` FULL.
    private static func open(_ folder: URL) throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.appending(path: "grdb.db").path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Creates the tables for files and for the members of lists.
    private static func create(_ pool: DatabasePool) throws {
        try pool.write { database in
            try database.create(table: FileRecord.databaseTableName) { table in
                table.primaryKey("id", .text)
                for column in ["name", "path", "extension", "kind", "created_at", "modified_at"] {
                    table.column(column, .text).notNull()
                }
                table.column("size", .integer).notNull()
                table.column("favorite", .boolean).notNull()
                table.column("tags", .jsonText).notNull()
                table.column("content_identity", .jsonText).notNull()
            }
            try database.create(table: "member") { table in
                table.column("list", .integer).notNull()
                table.column("position", .integer).notNull()
                table.column("id", .text).notNull().indexed()
                table.primaryKey(["list", "position"])
            }
        }
    }

    /// Stores the lists.
    private static func put(_ lists: [[String]], into pool: DatabasePool) throws {
        try pool.write { database in
            let insert = try database.cachedStatement(sql: "INSERT INTO member VALUES (?, ?, ?)")
            for (number, ids) in lists.enumerated() {
                for (position, id) in ids.enumerated() { try insert.execute(arguments: [number, position, id]) }
            }
        }
    }

    /// Reads a list as records.
    private static func read(_ number: Int, _ pool: DatabasePool) throws -> [FileRecord] {
        try pool.read { try FileRecord.fetchAll($0, sql: list, arguments: [number]) }
    }

    // MARK: Lines

    /// Applies the lines of files, 1,000 in a transaction.
    ///
    /// - Returns: The number of notifications that would be needed.
    private static func apply(_ workload: Workload, _ names: [String], to pool: DatabasePool) throws -> Int {
        var told = 0
        for name in names {
            var batch: [Data] = []
            try workload.forEachLine(name) { line in
                batch.append(Data(line))
                if batch.count == 1_000 {
                    told += try apply(batch, to: pool)
                    batch.removeAll(keepingCapacity: true)
                }
            }
            told += try apply(batch, to: pool)
        }
        return told
    }

    /// Applies lines in one transaction.
    ///
    /// - Returns: The number of notifications that would be needed.
    private static func apply(_ lines: [Data], to pool: DatabasePool) throws -> Int {
        let decoder = JSONDecoder()
        return try pool.write { database in
            let count = try database.cachedStatement(sql: "SELECT count(*) FROM member WHERE id = ?")
            var told = 0
            for line in lines {
                let event = try decoder.decode(Envelope<FileRecord>.self, from: line).event
                if let file = event.changed?.resource {
                    try file.upsert(database)
                    told += try Int.fetchOne(count, arguments: [file.id]) ?? 0
                } else if let deleted = event.deleted {
                    try FileRecord.deleteOne(database, key: deleted.id)
                    told += try Int.fetchOne(count, arguments: [deleted.id]) ?? 0
                    try database.execute(sql: "DELETE FROM member WHERE id = ?", arguments: [deleted.id])
                }
            }
            return told
        }
    }

    /// Returns the id of the file that a line changes; empty if the line is another event.
    private static func changedID(_ line: Data) throws -> String {
        try JSONDecoder().decode(Envelope<FileRecord>.self, from: line).event.changed?.resource.id ?? ""
    }
}
