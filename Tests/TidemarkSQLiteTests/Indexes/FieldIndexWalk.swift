import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A file with indexes and a model of dictionaries of fields: random flushes, layers and reopenings, with selections
/// and counts compared with a filter and a sort of everything.
struct FieldIndexWalk {
    /// The fields' JSON by name.
    typealias Fields = [String: String]

    private let seed: UInt64
    private let path: String
    private var random: SeededGenerator
    private var cache = SmallCache()
    private var journal: SQLiteJournal
    private var base: [EntityKey: Fields] = [:]
    private var layers: [(number: Int64, key: EntityKey, edit: Edit)] = []
    private var lastLayer: Int64 = 0
    private let idCount: Int

    private enum Edit {
        case put(Fields)
        case patch(String, String)
        case delete
    }

    private static let pool = [
        "file./a", "file./b", "file./p", "file./zz", "file./a/x", "album./a", "album./b", "other./a",
    ].compactMap { FieldIndex($0) }

    init(seed: UInt64, path: String) async throws {
        self.seed = seed
        self.path = path
        random = SeededGenerator(seed: seed)
        idCount = 3 + random.below(60)
        journal = try await SQLiteJournal.open(path: path, layout: .of(seed: seed))
        let first = ["file./a", "file./b", "file./p"].compactMap { FieldIndex($0) }
        try await journal.changeIndexes(FieldIndexChanges(added: first), progress: nil)
    }

    // MARK: Changing

    mutating func step() async throws {
        if random.chance(60) {
            let library = random.pick(["", "b"] as [ByteString])
            cache.clear(library: library)
            base = base.filter { $0.key.library != library }
        }
        var touched: Set<EntityKey> = []
        for _ in 0..<random.below(25) {
            let key = randomKey()
            guard touched.insert(key).inserted else { continue }
            let isStored = base[key] != nil
            switch random.weighted([6, isStored ? 2 : 0, isStored ? 1 : 0, isStored ? 1 : 0, isStored ? 3 : 0]) {
            case 0: put(key, randomFields())
            case 1:
                cache.delete(key, sequence: 2)
                base[key] = nil
            case 2:
                cache.evict(key)
                base[key] = nil
            case 3: cache.stamp(key, sequence: 3)
            default:
                // One field changes and the others stay, so most rows of the indexes stay.
                var fields = base[key] ?? [:]
                fields["n"] = "\(random.below(1_000))"
                put(key, fields)
            }
        }
        changeLayers()
        try await journal.commit(cache.take())
        if random.chance(150) { try await reopen() }
    }

    private mutating func put(_ key: EntityKey, _ fields: Fields) {
        if base[key] == nil { cache.flush.tombstones.append(FlushTombstone(key: cache.stored(key), tombstone: nil)) }
        base[key] = fields
        cache.put(key, FieldIndexWalk.text(fields))
    }

    private mutating func changeLayers() {
        if random.chance(300) {
            let key = randomKey()
            let stored = cache.stored(key)
            lastLayer += 1
            let edit: Edit
            let change: LayerChange
            switch random.below(3) {
            case 0:
                let fields = randomFields()
                (edit, change) = (.put(fields), .put(stored, resource: Array(FieldIndexWalk.text(fields).utf8)))
            case 1:
                let (name, value) = (random.pick(["a", "b", "p"]), randomValue())
                edit = .patch(name, value)
                change = .patch(stored, fields: Array(#"{"\#(name)":\#(value)}"#.utf8), unset: [])
            default: (edit, change) = (.delete, .delete(stored))
            }
            layers.append((lastLayer, key, edit))
            cache.flush.layers.append(
                LayerRecord(
                    number: lastLayer, pendingID: ByteString("p\(lastLayer)"), library: stored.library, createdAt: 1,
                    changes: [change]))
        }
        if random.chance(200), let last = layers.first {
            layers.removeFirst()
            cache.flush.layers.removeAll { $0.number == last.number }
            cache.flush.removedLayers.append(last.number)
        }
    }

    /// Reopens the file with some indexes added and some dropped; the others stay.
    mutating func reopen() async throws {
        try await journal.close()
        let report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [], "seed \(seed)")
        journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.recover()
        var changes = FieldIndexChanges()
        for index in Self.pool {
            switch random.below(5) {
            case 0, 1: changes.added.append(index)
            case 2: changes.dropped.append(index)
            default: continue
            }
        }
        try await journal.changeIndexes(changes, progress: nil)
    }

    func close() async throws {
        try await journal.close()
        #expect(try SQLiteReader(path: path).verify().problems == [], "seed \(seed)")
    }

    // MARK: Comparing

    /// Compares a random selection and a count.
    ///
    /// - Returns: The method of the selection.
    mutating func check() throws -> ReadPlan.Method? {
        let reader = try SQLiteReader(path: path)
        let type = random.pick(["file", "file", "file", "album"])
        let predicate = random.chance(800) ? randomPredicate(depth: 0) : #"{"all":[]}"#
        let components = (0..<random.weighted([3, 4, 1])).map { _ in
            #"{"path":"\#(random.pick(["/b", "/a", "/p", "/zz", "/a/x", "/n"]))","direction":"\#(random.pick(["asc", "desc"]))"}"#
        }
        let text =
            #"{"resource_type":"\#(type)","where":\#(predicate),"order":[\#(components.joined(separator: ","))]}"#
        let library = random.chance(500) ? random.pick(["", "b"] as [ByteString]) : nil
        let visible = try visible(type: ByteString(type))
        var after: EntityKey?
        let places = visible.keys.sorted().filter { key in library.map { $0 == key.library } ?? true }
        if random.chance(400), !places.isEmpty { after = random.pick(places) }
        let countMax = random.chance(300) ? 10_000 : 1 + random.below(6)

        let reference = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(text.utf8)))
        let wanted = wanted(reference, visible, library, after).prefix(countMax)
        var found: [EntityKey] = []
        let selection = EntitySelection(
            rule: try Membership(json: Array(text.utf8)), library: library, after: after, countMax: countMax)
        let outcome = try reader.select(selection) { step in
            guard case .entity(let entity) = step else { return true }
            found.append(entity.key)
            let written = try ReferenceJSONParser.parse(entity.payload)
            #expect(
                visible[entity.key].map { ReferenceComparison.areEqual($0, written) } == true,
                "seed \(seed): \(entity.key) in \(text)")
            return true
        }
        guard case .done(let plan) = outcome else {
            Issue.record("seed \(seed): \(outcome)")
            return nil
        }
        #expect(
            found == Array(wanted), "seed \(seed): \(text) behind \(String(describing: after)), by \(plan): \(visible)")
        try checkFacets(reader, selection, reference, visible, "\(text)")
        return plan.method
    }

    private func wanted(
        _ rule: ReferenceMembership, _ visible: [EntityKey: ReferenceJSON], _ library: ByteString?, _ after: EntityKey?
    ) -> [EntityKey] {
        var wanted: [EntityKey] = []
        for name in ["", "b"] as [ByteString] where library.map({ $0 == name }) ?? true {
            if let after, name < after.library { continue }
            var entities = visible.filter { $0.key.library == name && rule.matches($0.value) }
                .map { (id: $0.key.id.bytes, resource: $0.value, key: $0.key) }
            if let after, after.library == name, let resource = visible[after] {
                entities = entities.filter {
                    rule.precedes((after.id.bytes, resource), ($0.id, $0.resource))
                }
            }
            wanted += entities.sorted { rule.precedes(($0.id, $0.resource), ($1.id, $1.resource)) }.map(\.key)
        }
        return wanted
    }

    private mutating func checkFacets(
        _ reader: SQLiteReader, _ selection: EntitySelection, _ rule: ReferenceMembership,
        _ visible: [EntityKey: ReferenceJSON], _ text: String
    ) throws {
        let field = random.pick(["/a", "/b", "/p", "/zz", "/a/x"])
        let facets = try reader.facets(
            try FieldPath(ByteString(field)), of: selection, countMax: 10_000, onDamage: { _ in })
        var groups: [(value: ReferenceJSON, count: Int64)] = []
        var missingCount: Int64 = 0
        for (key, resource) in visible where rule.matches(resource) {
            if let library = selection.library, key.library != library { continue }
            guard let value = ReferencePointer(Array(field.utf8)).value(in: resource) else {
                missingCount += 1
                continue
            }
            if let index = groups.firstIndex(where: { ReferenceComparison.areEqual($0.value, value) }) {
                groups[index].count += 1
            } else {
                groups.append((value, 1))
            }
        }
        let message = "seed \(seed): \(field) of \(text): \(facets)"
        #expect(facets.missingCount == missingCount, "\(message)")
        #expect(facets.distinctCount == groups.count && facets.values.count == groups.count, "\(message)")
        var last: (value: ReferenceJSON, count: Int64)?
        for found in facets.values {
            let value = try ReferenceJSONParser.parse(found.json)
            let group = groups.first { ReferenceComparison.areEqual($0.value, value) }
            #expect(group?.count == found.count, "\(message)")
            if let last {
                #expect(
                    last.count > found.count
                        || last.count == found.count && ReferenceComparison.order(last.value, value) <= 0, "\(message)")
            }
            last = (value, found.count)
        }
    }

    private func visible(type: ByteString) throws -> [EntityKey: ReferenceJSON] {
        var visible = base
        for layer in layers {
            switch layer.edit {
            case .put(let fields): visible[layer.key] = fields
            case .patch(let name, let value): visible[layer.key]?[name] = value
            case .delete: visible[layer.key] = nil
            }
        }
        return try visible.filter { $0.key.type == type }.mapValues {
            try ReferenceJSONParser.parse(Array(FieldIndexWalk.text($0).utf8))
        }
    }

    // MARK: Random values

    private static func text(_ fields: Fields) -> String {
        "{\(fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    }

    private mutating func randomKey() -> EntityKey {
        let number = random.below(idCount)
        let uuid = ByteString(UUIDValue(high: UInt64(number) << 58 | 5, low: UInt64(number)).text)
        let id: ByteString =
            switch number % 4 {
            case 0: ByteString("\(number)")
            case 1: ByteString(uuid.bytes.prefix(3 + number % 20))
            default: uuid
            }
        return EntityKey(
            library: number % 3 == 0 ? "b" : "", type: number % 5 == 0 ? "album" : "file", id: id)
    }

    private mutating func randomFields() -> Fields {
        var fields: Fields = [:]
        if random.chance(900) { fields["a"] = randomValue() }
        if random.chance(900) { fields["b"] = random.pick(["1", "2", "3", "1.0", "20e-1"]) }
        if random.chance(800) { fields["p"] = randomPath() }
        return fields
    }

    /// Returns strings that are equal for longer than the code in an index.
    private mutating func randomPath() -> String {
        #""\#(String(repeating: "/Photos", count: random.pick([1, 18, 19, 30])))/\#(random.below(6))""#
    }

    private mutating func randomValue() -> String {
        random.pick([
            "null", "true", "false", "0", "-0", "1", "1.0", "10e-1", "-1.5", "18446744073709551615", "1e120", "[]",
            "[1]",
            "[1.0]", "{}", #"{"x":1}"#, #"{"x":1.0}"#, #"{"x":"y"}"#, #""""#, #""a""#, #""\u0061""#, #""ab""#,
            #""a\u0000""#, #""a\u0000b""#, #""é""#, #""\ud83d""#, #""b""#, randomPath(),
        ])
    }

    private mutating func randomPredicate(depth: Int) -> String {
        switch random.weighted([8, depth < 2 ? 3 : 0, depth < 2 ? 1 : 0, depth < 2 ? 1 : 0]) {
        case 0:
            let field = random.pick(["/a", "/b", "/p", "/a/x", "/zz"])
            let operand =
                field == "/b" ? random.pick(["1", "2", "3", "9"]) : field == "/p" ? randomPath() : randomValue()
            switch random.below(9) {
            case 0: return #"{"path":"\#(field)","in":[\#(operand),\#(randomValue()),2]}"#
            case 1: return #"{"path":"\#(field)","exists":\#(random.pick(["true", "false"]))}"#
            case 2:
                return #"{"path":"\#(field)","prefix":\#(random.pick([#""""#, #""a""#, #""a\u0000""#, randomPath()]))}"#
            case 3, 4: return #"{"path":"\#(field)","eq":\#(operand)}"#
            default: return #"{"path":"\#(field)","\#(random.pick(["lt", "lte", "gt", "gte", "ne"]))":\#(operand)}"#
            }
        case 3: return #"{"not":\#(randomPredicate(depth: depth + 1))}"#
        case let choice:
            let members = (0..<(1 + random.below(3))).map { _ in randomPredicate(depth: depth + 1) }
            return #"{"\#(choice == 1 ? "all" : "any")":[\#(members.joined(separator: ","))]}"#
        }
    }
}
