import TidemarkModel
import TidemarkStore

/// The tables `counters` and `ignored_kinds`: totals since the database was made.
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

    /// Kinds are only ever added to: names that are not given keep what they have.
    func write(_ ignoredKinds: [ByteString: Int64]) throws {
        for (name, count) in ignoredKinds.sorted(by: { $0.key < $1.key }) {
            putKind.bind(1, text: name)
            putKind.bind(2, count)
            try putKind.run()
        }
    }

    /// All counters by name.
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

    /// - Parameter values: As ``read(_:)`` gives them; a counter that is not there is 0.
    /// - Throws: ``SQLiteFailure`` `SQLITE_CORRUPT` for what is no count.
    static func counts(_ values: [String: Int64]) throws -> EventCounts {
        var counts = EventCounts()
        for field in fields { counts[keyPath: field.path] = try count(field.name, in: values) }
        return counts
    }

    /// One counter; 0 when it is not there.
    ///
    /// - Throws: ``SQLiteFailure`` `SQLITE_CORRUPT` for what is no count.
    static func count(_ name: String, in values: [String: Int64]) throws -> Int64 {
        try StoredNumber.count(values[name] ?? 0, "the counter \(name)")
    }

    /// The last number that a quarantined record got.
    static let quarantineNumber = "quarantine_number"
    /// The highest number that a query ever had.
    static let queryNumber = "query_number"
    /// When the last flush was taken: milliseconds since 1970.
    static let takenAt = "taken_at"
    /// How far what is stored is ahead of a library's cursor: a sequence, or -1 when it is not.
    static func answeredThrough(_ library: LibraryIndex) -> String { "\(answeredThroughPrefix)\(library)" }
    static let answeredThroughPrefix = "answered_through_"
    /// The highest sequence that was known when something of a library's keys was last forgotten, or -1.
    static func forgottenThrough(_ library: LibraryIndex) -> String { "\(forgottenThroughPrefix)\(library)" }
    static let forgottenThroughPrefix = "forgotten_through_"
    /// Whether a library is stale because numbers were lost, and for no other reason: 1, or 0.
    static func staleByLoss(_ library: LibraryIndex) -> String { "\(staleByLossPrefix)\(library)" }
    static let staleByLossPrefix = "stale_by_loss_"
    /// How many samples a dictionary was trained from.
    static func dictionarySamples(_ number: Int64) -> String { "dictionary_samples_\(number)" }
    /// Records that are in quarantine.
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
