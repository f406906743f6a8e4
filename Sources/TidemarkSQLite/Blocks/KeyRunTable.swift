/// The table `key_runs`: sorted runs of keys, in parts.
final class KeyRunTable {
    private let connection: OpaquePointer
    private let read: PreparedStatement
    private let put: PreparedStatement
    private let remove: PreparedStatement
    private let removeAll: PreparedStatement

    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        self.connection = connection
        read = try PreparedStatement(connection, "SELECT body FROM key_runs WHERE place = ?")
        put = try PreparedStatement(connection, "INSERT INTO key_runs (place, body) VALUES (?, ?)")
        remove = try PreparedStatement(connection, "DELETE FROM key_runs WHERE place = ?")
        removeAll = try PreparedStatement(connection, "DELETE FROM key_runs")
    }

    /// Reads a part.
    ///
    /// - Throws: ``PayloadError`` for a part that is damaged or missing; all runs are then rebuilt.
    func part(_ place: Int64) throws -> KeyPart {
        read.bind(1, place)
        defer { read.reset() }
        guard try read.step() else { throw PayloadError.rowMissing }
        guard let part = KeyPart(read.borrowedBytes(0), place: place) else { throw PayloadError.checksumMismatch }
        return part
    }

    func put(_ place: Int64, _ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            put.bind(1, place)
            put.bindBorrowed(2, blob: bytes)
            try put.run()
        }
    }

    func remove(_ place: Int64) throws {
        remove.bind(1, place)
        try remove.run()
    }

    func removeEverything() throws { try removeAll.run() }

    /// Returns the runs, by level and sequence.
    func runs() throws -> [KeyRun] {
        var runs: [KeyRun] = []
        let statement = try PreparedStatement(connection, "SELECT place FROM key_runs ORDER BY place")
        try statement.forEachRow { row in
            // Only a forged file has such a row. Rebuilding the runs removes it.
            guard let part = KeyRun(place: row.integer(0)) else { return }
            if let last = runs.last, last.level == part.level, last.sequence == part.sequence {
                // A missing part in between is detected when it is read.
                runs[runs.count - 1].parts = last.parts.lowerBound..<part.parts.upperBound
            } else {
                runs.append(part)
            }
        }
        return runs
    }
}
