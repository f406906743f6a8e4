import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// One random life of a cache whose views are observed by sequences.
struct ObservationWalk {
    /// An observed view, with what its reader has seen.
    private struct Reader {
        let view: View
        let params: JSONValue
        let observation: ViewObservation<JSONValue>
        var iterator: ViewObservation<JSONValue>.Iterator
        /// The rows of the last update.
        var rows: ViewRows<JSONValue>
        var offset: Int?
        var limit: Int?
    }

    let seed: UInt64
    private var random: SeededGenerator
    private let cache: SyncCache
    private var readers: [Reader] = []
    private var pending: [ByteString] = []
    private var notes: [String] = []
    private(set) var updateCount = 0
    private(set) var changeCount = 0
    private(set) var missedCount = 0

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        cache = try await SyncCache.inMemory()
    }

    mutating func run() async throws {
        for _ in 0..<8 { try await ingest() }
        for _ in 0..<3 { try await observe() }
        for _ in 0..<40 {
            try await step()
            try await check()
        }
        try await cache.close()
    }

    // MARK: Steps

    private mutating func step() async throws {
        switch random.count(0...19) {
        case 0...9: try await ingest()
        // More changes than wait for a slow reader.
        case 10: for _ in 0..<40 { try await ingest() }
        case 11...13: try await edit()
        case 14, 15: try await settle()
        case 16: try await observe()
        case 17: if !readers.isEmpty { readers.remove(at: random.count(0...readers.count - 1)) }
        default: try await move()
        }
    }

    private mutating func ingest() async throws {
        let type = random.one(RandomEntities.types)
        let id = RandomEntities.id(&random)
        let line =
            random.percent(20)
            ? EventLine.delete(id, type: type) : EventLine.change(RandomEntities.resource(id, &random), type: type)
        notes.append(line)
        try await cache.apply(line)
    }

    private mutating func edit() async throws {
        let id = ByteString("e\(notes.count)")
        let field = random.one(RandomEntities.fields)
        let fields = #"{"\#(field)":\#(RandomEntities.value(field, &random))}"#
        let operation = TransactionOperation.patch(
            type: ByteString(random.one(RandomEntities.types)), id: ByteString(RandomEntities.id(&random)),
            fields: Array(fields.utf8), unset: [])
        notes.append("edit \(fields)")
        try await cache.update(OptimisticUpdate(pendingID: id, library: "", operations: [operation]))
        pending.append(id)
    }

    private mutating func settle() async throws {
        guard !pending.isEmpty else { return }
        notes.append("roll back")
        try await cache.rollBack(pending.remove(at: random.count(0...pending.count - 1)))
    }

    private mutating func move() async throws {
        guard !readers.isEmpty else { return }
        let place = random.count(0...readers.count - 1)
        let offset = random.percent(60) ? random.count(0...3) : nil
        let limit = random.percent(60) ? random.count(1...4) : nil
        notes.append("move \(place)")
        try await readers[place].observation.move(offset: offset, limit: limit)
        readers[place].offset = offset ?? readers[place].offset
        readers[place].limit = limit ?? readers[place].limit
    }

    private mutating func observe() async throws {
        guard readers.count < 4 else { return }
        var rules = RandomRule(seed: random.next(), hasParameters: random.percent(50))
        for _ in 0..<8 {
            let text = rules.view()
            guard let rule = try? ViewRule(json: Array(text.utf8)) else { continue }
            let params = try JSONValue(parsing: Array(rules.values(rule.parameters.map(\.description)).utf8))
            let view = try RuleBuilding.view(JSONValue(parsing: Array(text.utf8)))
            notes.append("observe \(text)")
            let observation = try cache.observe(view, params, as: JSONValue.self)
            var iterator = observation.makeAsyncIterator()
            let rows = try #require(try await iterator.next())
            readers.append(
                Reader(
                    view: view, params: params, observation: observation, iterator: iterator, rows: rows))
            return
        }
    }

    // MARK: Comparison

    /// Reads every sequence up to the current state. Whatever is told was told when the step ended.
    private mutating func check() async throws {
        for place in readers.indices {
            let reader = readers[place]
            let read = try await cache.read(
                reader.view, reader.params, as: JSONValue.self, offset: reader.offset, limit: reader.limit)
            while !isEqual(readers[place].rows, read) {
                let former = readers[place].rows.rows
                let update = try #require(try await readers[place].iterator.next(), "\(description)")
                updateCount += 1
                changeCount += update.changes.count
                missedCount += update.missed
                var folded = former
                for change in update.changes { change.apply(to: &folded) }
                #expect(folded == update.rows, "\(description)")
                readers[place].rows = update
            }
        }
    }

    private func isEqual(_ shown: ViewRows<JSONValue>, _ read: ViewRows<JSONValue>) -> Bool {
        shown.total == read.total && shown.isStale == read.isStale && shown.isPending == read.isPending
            && shown.missing == read.missing && ObservationWalk.plain(shown.rows) == ObservationWalk.plain(read.rows)
    }

    /// The rows without what does not show, such as the order of members.
    private static func plain(_ rows: [JSONValue]) -> String {
        let text = JSONValue.array(rows).bytes
        return (try? ReferenceJSONParser.parse(text)).map { "\(NaivePatch.plain($0))" } ?? "no JSON"
    }

    private var description: String { "seed \(seed), after \(notes.suffix(8).joined(separator: "; "))" }
}
