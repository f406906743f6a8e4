import TidemarkModel
import TidemarkStore

/// The naive part of ``JournalConformance`` for queries: changes some, and remembers their content.
struct QueryFlushModel {
    private var queries: [Int64: QueryRecord] = [:]
    private var lastQuery: Int64 = 0
    private var random: SeededGenerator
    /// The largest number of elements of a list; most lists have few.
    private let elementCountMax: Int

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        elementCountMax = [0, 5, 40, 3_000][Int.random(in: 0..<4, using: &random)]
    }

    /// Adds random changes of queries to a flush.
    mutating func change(_ flush: inout FlushBatch, libraryCount: Int, typeCount: Int) {
        for number in queries.keys.sorted() {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                queries[number] = nil
                flush.removedQueries.append(number)
            case 1, 2:
                flush.queries.append(record(number, libraryCount: libraryCount, typeCount: typeCount))
            default:
                continue
            }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            // A query that never existed, or was removed already.
            flush.removedQueries.append(lastQuery + 100)
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            lastQuery += Int64.random(in: 1...3, using: &random)
            flush.queries.append(record(lastQuery, libraryCount: libraryCount, typeCount: typeCount))
        }
        flush.queries.shuffle(using: &random)
        for record in flush.queries { queries[record.number] = record }
    }

    /// Compares the queries of a recovered state with those that the flushes describe.
    ///
    /// - Returns: nil when they are equal.
    func difference(to recovered: RecoveredState) -> String? {
        let expected = queries.keys.sorted().compactMap { queries[$0] }
        if recovered.queries.map(\.number) != expected.map(\.number) {
            return "queries are \(recovered.queries.map(\.number)), not \(expected.map(\.number))"
        }
        for (found, wanted) in zip(recovered.queries, expected) where found != wanted {
            return "query \(wanted.number) is \(found), not \(wanted)"
        }
        return recovered.lastQuery == lastQuery ? nil : "the last query is \(recovered.lastQuery), not \(lastQuery)"
    }

    private mutating func record(_ number: Int64, libraryCount: Int, typeCount: Int) -> QueryRecord {
        var ids: Set<StoredID> = []
        let hasSortKeys = Bool.random(using: &random)
        var elements: [QueryElement] = []
        for _ in 0..<Int.random(in: 0...elementCountMax, using: &random) {
            let id = randomID()
            guard ids.insert(id).inserted else { continue }
            elements.append(QueryElement(id: id, sortKey: hasSortKeys ? bytes(countMax: 300) : []))
        }
        return QueryRecord(
            number: number, library: LibraryIndex(Int.random(in: 0..<libraryCount, using: &random)),
            type: TypeIndex(Int.random(in: 0..<typeCount, using: &random)), method: text("files.list\u{0} é"),
            input: text(#"{"path":"/a","n":1.10}"#), tags: text(#"["a","b"]"#), membership: text(#"{"limit":3}"#),
            isLocal: Bool.random(using: &random), timeToLive: optionalNumber(from: 0),
            asOf: optionalNumber(from: 0).map { EventSequence($0) }, storedAt: optionalNumber(from: -1 << 60) ?? 0,
            staleSince: optionalNumber(from: 0), horizon: Bool.random(using: &random) ? bytes(countMax: 40) : nil,
            elements: elements)
    }

    private mutating func randomID() -> StoredID {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .text(ByteString(Array(repeating: 97, count: Int.random(in: 1...1_024, using: &random))))
        case 1: .text(ByteString("\(random.next() % 500)"))
        default: .uuid(UUIDValue(high: random.next(), low: random.next()))
        }
    }

    private mutating func bytes(countMax: Int) -> [UInt8] {
        random.bytes(Int.random(in: 0...countMax, using: &random))
    }

    /// Returns an empty text, or `start` followed by a number.
    private mutating func text(_ start: String) -> ByteString {
        Bool.random(using: &random) ? "" : ByteString("\(start)\(random.next() % 100)")
    }

    /// Returns a number or nil. Moments and counts of real files are far from the ends of the range, and so are these.
    private mutating func optionalNumber(from low: Int64) -> Int64? {
        Bool.random(using: &random) ? nil : Int64.random(in: low...1 << 60, using: &random)
    }
}
