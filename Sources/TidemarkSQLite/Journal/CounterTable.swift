import TidemarkModel
import TidemarkStore

/// The tables `counters` and `ignored_kinds`: totals since the database was created.
struct CounterTable {
    private let put: PreparedStatement
    private let putKind: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(connection, "INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)")
        putKind = try PreparedStatement(
            connection, "INSERT OR REPLACE INTO ignored_kinds (name, count) VALUES (?, ?)")
    }

    func write(_ counts: EventCounts) throws {
        for field in CounterTable.fields {
            try write(field.name, counts[keyPath: field.path])
        }
    }

    func write(_ name: String, _ value: Int64) throws {
        put.bind(1, text: ByteString(name))
        put.bind(2, value)
        try put.run()
    }

    /// Writes the counts of some ignored kinds. Other kinds keep their counts.
    func write(_ ignoredKinds: [ByteString: Int64]) throws {
        for (name, count) in ignoredKinds.sorted(by: { $0.key < $1.key }) {
            putKind.bind(1, text: name)
            putKind.bind(2, count)
            try putKind.run()
        }
    }

    /// Returns all counters by name.
    static func read(_ connection: OpaquePointer) throws -> [String: Int64] {
        var values: [String: Int64] = [:]
        let statement = try PreparedStatement(connection, "SELECT name, value FROM counters")
        try statement.forEachRow { row in values[row.text(0).description] = row.integer(1) }
        return values
    }

    static func ignoredKinds(_ connection: OpaquePointer) throws -> [ByteString: Int64] {
        var kinds: [ByteString: Int64] = [:]
        let statement = try PreparedStatement(connection, "SELECT name, count FROM ignored_kinds")
        try statement.forEachRow { row in
            kinds[row.text(0)] = try StoredNumber.count(row.integer(1), "a count of ignored events")
        }
        return kinds
    }

    /// Returns the counts of lines and events.
    ///
    /// - Parameter values: The result of ``read(_:)``; a missing counter is 0.
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` for a value that is not a count.
    static func counts(_ values: [String: Int64]) throws -> EventCounts {
        var counts = EventCounts()
        for field in fields { counts[keyPath: field.path] = try count(field.name, in: values) }
        return counts
    }

    /// Returns one counter; 0 when it is missing.
    ///
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` for a value that is not a count.
    static func count(_ name: String, in values: [String: Int64]) throws -> Int64 {
        try StoredNumber.count(values[name] ?? 0, "the counter \(name)")
    }

    /// The name of the counter with the last number of a quarantine record.
    static let quarantineNumber = "quarantine_number"
    /// The name of the counter with the highest number that a query ever had.
    static let queryNumber = "query_number"
    /// The name of the counter with the time of the last flush, in milliseconds since 1970.
    static let takenAt = "taken_at"
    /// Returns the name of the counter with the highest sequence as of which a server has answered, while that is ahead
    /// of the library's cursor; else its value is -1.
    static func answeredThrough(_ library: LibraryIndex) -> String { "\(answeredThroughPrefix)\(library)" }
    static let answeredThroughPrefix = "answered_through_"
    /// Returns the name of the counter with the highest known sequence when the library last dropped a tombstone, an
    /// evicted key or a removed entity; its value is -1 if it never did.
    static func forgottenThrough(_ library: LibraryIndex) -> String { "\(forgottenThroughPrefix)\(library)" }
    static let forgottenThroughPrefix = "forgotten_through_"
    /// Returns the name of the counter that is 1 if the library is stale only because sequences were lost, else 0.
    static func staleByLoss(_ library: LibraryIndex) -> String { "\(staleByLossPrefix)\(library)" }
    static let staleByLossPrefix = "stale_by_loss_"
    /// Returns the name of the counter that is 1 if events can disappear from the library's log without a trace, else
    /// 0.
    static func unknowable(_ library: LibraryIndex) -> String { "\(unknowablePrefix)\(library)" }
    static let unknowablePrefix = "unknowable_"
    /// Returns the name of the counter that is 1 while a state of the library is under way, else 0.
    static func inState(_ library: LibraryIndex) -> String { "\(inStatePrefix)\(library)" }
    static let inStatePrefix = "in_state_"
    /// Returns the name of the counter that is 1 if the last heartbeat said that the log's source is stale, else 0.
    static func sourceStale(_ library: LibraryIndex) -> String { "\(sourceStalePrefix)\(library)" }
    static let sourceStalePrefix = "source_stale_"
    /// Returns the name of the counter with the highest sequence at which something made lists stale; its value is -1
    /// if nothing did.
    static func staleThrough(_ library: LibraryIndex) -> String { "\(staleThroughPrefix)\(library)" }
    static let staleThroughPrefix = "stale_through_"
    /// Returns the name of the counter with the number of samples that a dictionary was trained from.
    static func dictionarySamples(_ number: Int64) -> String { "dictionary_samples_\(number)" }
    /// The name of the counter with the number of records in quarantine.
    static let quarantineCount = "quarantine_records"

    private static var fields: [(name: String, path: WritableKeyPath<EventCounts, Int64>)] {
        [
            ("lines", \.lines), ("blank", \.blank), ("control", \.control), ("messages", \.messages),
            ("applied", \.applied), ("duplicate", \.duplicate), ("ignored", \.ignored),
            ("quarantined", \.quarantined), ("held", \.held), ("members_quarantined", \.membersQuarantined),
            ("reconciled", \.reconciled), ("late", \.late),
        ]
    }
}
