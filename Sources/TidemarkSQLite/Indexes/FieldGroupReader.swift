import TidemarkModel
import TidemarkStore

/// The rows of one index in one library.
struct FieldScope: Hashable {
    var number: Int64
    var library: LibraryIndex
}

/// An entity that an index names. It is a match only if its row, once read, meets the rule.
struct FieldCandidate {
    var id: StoredID
    var row: Int64
}

/// Reads the values of an index in order, and the entities of each value in the order of their ids' text.
///
/// The table sorts UUIDs, which are blobs, after all texts. When a value has ids of both forms, the two runs are
/// merged, as in ``EntityRangeReader``.
struct FieldGroupReader {
    private let nextUp: PreparedStatement
    private let nextDown: PreparedStatement
    private let texts: PreparedStatement
    private let blobs: PreparedStatement
    private let all: PreparedStatement
    private let counted: PreparedStatement
    private let groups: PreparedStatement
    private let one: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        let hasRows = try EntityLayout(connection) == .rows
        let place = hasRows ? "place" : "0"
        let table =
            "FROM \(hasRows ? "field_values INDEXED BY field_values_in_order" : "field_codes INDEXED BY field_codes_in_order")"
            + " WHERE number = ?1 AND library = ?2"
        let between = "\(table) AND code >= ?3 AND code < ?4"
        nextUp = try PreparedStatement(connection, "SELECT code \(between) ORDER BY code LIMIT 1")
        nextDown = try PreparedStatement(connection, "SELECT code \(between) ORDER BY code DESC LIMIT 1")
        // Every text sorts before the empty blob, and every UUID after it.
        texts = try PreparedStatement(
            connection, "SELECT id, \(place) \(table) AND code = ?3 AND id > ?4 AND id < x'' ORDER BY id")
        blobs = try PreparedStatement(connection, "SELECT id, \(place) \(table) AND code = ?3 AND id >= ?4 ORDER BY id")
        all = try PreparedStatement(connection, "SELECT id, \(place) \(between)")
        counted = try PreparedStatement(connection, "SELECT count(*) FROM (SELECT 1 \(between) LIMIT ?5)")
        // The row number is shifted here as in `FieldPlace`.
        one = try PreparedStatement(
            connection,
            hasRows
                ? """
                SELECT v.code FROM keys k JOIN field_values v ON v.place = (k."row" << \(FieldPlace.bitCount) | ?1)
                WHERE k.library = ?2 AND k.type = ?4 AND k.id = ?3
                """ : "SELECT code FROM field_codes WHERE number = ?1 AND library = ?2 AND id = ?3 AND ?4 >= 0")
        groups = try PreparedStatement(connection, "SELECT code, count(*) \(table) AND code < x'FF' GROUP BY code")
    }

    /// Returns the first value in a range, or the last one when descending.
    ///
    /// - Returns: nil when there is none.
    /// - Complexity: O(log n).
    func code(_ scope: FieldScope, in range: CodeRange, isDescending: Bool) throws -> [UInt8]? {
        let statement = isDescending ? nextDown : nextUp
        bind(statement, scope, range)
        defer { statement.reset() }
        return try statement.step() ? Array(statement.borrowedBytes(0)) : nil
    }

    /// Returns the value that an index has for an entity.
    ///
    /// - Returns: nil when it has none.
    /// - Complexity: O(log n).
    func code(_ number: Int64, of key: StoredKey) throws -> [UInt8]? {
        one.bind(1, number)
        one.bind(2, Int64(key.library))
        one.bind(4, Int64(key.type))
        switch key.id {
        case .uuid(let value): one.bind(3, blob: value.bytes)
        case .text(let text): one.bind(3, text: text)
        }
        defer { one.reset() }
        return try one.step() ? Array(one.borrowedBytes(0)) : nil
    }

    /// Visits the entities of one value.
    ///
    /// - Parameters:
    ///   - after: The id's text after which to begin; nil to begin with the first.
    ///   - visit: Called with each entity; returns false to stop.
    /// - Returns: False when `visit` stopped the scan.
    /// - Complexity: O(log n) to begin, O(1) a step.
    func forEach(
        _ scope: FieldScope, code: [UInt8], after: ByteString? = nil, _ visit: (FieldCandidate) throws -> Bool
    ) throws -> Bool {
        defer {
            texts.reset()
            blobs.reset()
        }
        for statement in [texts, blobs] {
            statement.bind(1, scope.number)
            statement.bind(2, Int64(scope.library))
            statement.bind(3, blob: code)
        }
        texts.bind(4, text: after ?? "")
        blobs.bind(4, blob: after.map { UUIDLowerBound.bytes(behind: $0.bytes) } ?? [])
        var text = try next(texts)
        var uuid = try next(blobs)
        // The lower bound of the blobs is inclusive, so the first blob may not be after `after`.
        if let after, let first = uuid, first.id.text <= after { uuid = try next(blobs) }
        while true {
            if let first = text, uuid.map({ first.id.text < $0.id.text }) ?? true {
                guard try visit(first) else { return false }
                text = try next(texts)
            } else if let first = uuid {
                guard try visit(first) else { return false }
                uuid = try next(blobs)
            } else {
                return true
            }
        }
    }

    /// Visits the entities of all values in some ranges, in no order.
    ///
    /// - Complexity: O(ranges · log n + entities).
    func forEach(
        _ scope: FieldScope, in ranges: [CodeRange], _ visit: (FieldCandidate) throws -> Void
    ) throws {
        for range in ranges {
            bind(all, scope, range)
            try all.forEachRow { row in
                guard let candidate = candidate(row) else { return }
                try visit(candidate)
            }
        }
    }

    /// Returns the number of rows in some ranges, at most `countMax`.
    ///
    /// - Complexity: O(ranges · log n + min(rows, countMax)).
    func count(_ scope: FieldScope, in ranges: [CodeRange], countMax: Int64) throws -> Int64 {
        var count: Int64 = 0
        for range in ranges where count < countMax {
            bind(counted, scope, range)
            counted.bind(5, countMax - count)
            defer { counted.reset() }
            if try counted.step() { count += counted.integer(0) }
        }
        return count
    }

    /// Visits every value in ascending order, with the number of complete entities that have it.
    ///
    /// - Complexity: O(entities), in the order of SQLite's index.
    func forEachGroup(_ scope: FieldScope, _ visit: ([UInt8], Int64) throws -> Bool) throws {
        groups.bind(1, scope.number)
        groups.bind(2, Int64(scope.library))
        defer { groups.reset() }
        while try groups.step() {
            guard try visit(Array(groups.borrowedBytes(0)), groups.integer(1)) else { return }
        }
    }

    private func bind(_ statement: PreparedStatement, _ scope: FieldScope, _ range: CodeRange) {
        statement.bind(1, scope.number)
        statement.bind(2, Int64(scope.library))
        statement.bind(3, blob: range.lower)
        statement.bind(4, blob: range.upper)
    }

    private func next(_ statement: PreparedStatement) throws -> FieldCandidate? {
        while try statement.step() {
            if let candidate = candidate(statement) { return candidate }
        }
        return nil
    }

    /// Reads an entity's id and row; nil for an id that no key can have, which `verify` reports.
    private func candidate(_ row: PreparedStatement) -> FieldCandidate? {
        row.storedID(0).map { FieldCandidate(id: $0, row: FieldPlace.row(row.integer(1))) }
    }
}
