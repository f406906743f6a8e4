import Tidemark
import TidemarkModel
import TidemarkStore

/// The naive part of ``JournalConformance``: makes flushes, and remembers their effect.
package struct JournalModel {
    /// The entities that the flushes so far describe.
    package private(set) var entities: [StoredKey: StoredEntity] = [:]
    private var state = RecoveredState()
    private var random: SeededGenerator
    private var usedRows: Set<Int64> = []
    private var reduced: Set<StoredKey> = []
    private let rowCountMax: Int
    /// Whether payloads have the fields that rules ask about. Either way every payload is an object without white
    /// space, as journals get them.
    private let isJSON: Bool
    /// The weight of each kind of change, constant during a run.
    private let weights: [Int]
    private let idCount: Int
    private var clock: Int64 = 1_700_000_000_000
    private var queries: QueryFlushModel
    private var layers: LayerFlushModel
    private var quarantine: QuarantineFlushModel

    init(seed: UInt64, rowCountMax: Int, isJSON: Bool = false) {
        var random = SeededGenerator(seed: seed)
        weights = (0..<4).map { _ in Int.random(in: 1...8, using: &random) }
        idCount = Int.random(in: 5...300, using: &random)
        self.rowCountMax = rowCountMax
        self.isJSON = isJSON
        queries = QueryFlushModel(seed: random.next())
        layers = LayerFlushModel(seed: random.next())
        quarantine = QuarantineFlushModel(seed: random.next())
        self.random = random
    }

    mutating func chance(_ part: Int, in whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &random) < part
    }

    // MARK: Flushes

    mutating func nextFlush() -> FlushBatch {
        var flush = FlushBatch()
        if state.libraries.isEmpty || chance(1, in: 5) { addLibrary(&flush) }
        if state.types.isEmpty || chance(1, in: 5) { addType(&flush) }
        if chance(1, in: 8) { clearLibraries(&flush) }
        changeEntities(&flush)
        queries.change(&flush, libraryCount: state.libraries.count, typeCount: state.types.count)
        layers.change(&flush, libraryCount: state.libraries.count, typeCount: state.types.count)
        quarantine.change(&flush, libraries: state.libraries.map(\.name))
        var counts = [Int64](repeating: 0, count: state.libraries.count)
        for key in entities.keys { counts[Int(key.library)] += 1 }
        for index in state.libraries.indices {
            let isChanged = state.libraries[index].entityCount != counts[index]
            state.libraries[index].entityCount = counts[index]
            if chance(1, in: 2) {
                changeLibrary(index, &flush)
            } else if isChanged {
                flush.libraries.append(state.libraries[index])
            }
        }
        if chance(1, in: 2) {
            state.counts.lines += Int64.random(in: 1...100, using: &random)
            state.counts.applied += 1
            state.counts.reconciled += 2
            flush.counts = state.counts
        }
        if chance(1, in: 2) {
            state.lastTakenAt = Int64.random(in: 0...1 << 45, using: &random)
            flush.takenAt = state.lastTakenAt
        }
        if chance(1, in: 3) {
            state.ignoredKinds[ByteString("Kind\(Int.random(in: 0..<5, using: &random))"), default: 0] += 1
            flush.ignoredKinds = state.ignoredKinds
        }
        changeEvicted(&flush)
        return flush
    }

    private mutating func changeEvicted(_ flush: inout FlushBatch) {
        flush.evicted.replacesAll = chance(1, in: 8)
        for _ in 0..<Int.random(in: 0...(chance(1, in: 8) ? 3_000 : 4), using: &random) {
            flush.evicted.records.append(
                EvictedRecord(
                    library: LibraryIndex(Int.random(in: 0..<state.libraries.count, using: &random)),
                    hash: random.next(),
                    isBack: chance(1, in: 4)))
        }
        if flush.evicted.replacesAll { state.evicted = [] }
        state.evicted += flush.evicted.records
    }

    private mutating func addLibrary(_ flush: inout FlushBatch) {
        let index = LibraryIndex(state.libraries.count)
        let name: ByteString = index == 0 ? "" : ByteString("library\u{0} \(index) é")
        flush.newLibraries.append((index, name))
        state.libraries.append(
            LibraryRecord(
                index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                entityCount: 0))
    }

    private mutating func addType(_ flush: inout FlushBatch) {
        let name = ByteString("type-\(state.types.count)")
        flush.newTypes.append((TypeIndex(state.types.count), name))
        state.types.append(name)
    }

    private mutating func changeLibrary(_ index: Int, _ flush: inout FlushBatch) {
        var record = state.libraries[index]
        let cursor = (record.cursor?.rawValue ?? -1) + Int64.random(in: 1...50, using: &random)
        record.cursor = EventSequence(cursor)
        record.isStale = chance(1, in: 3)
        record.isUnknowable = chance(1, in: 3)
        record.isInState = chance(1, in: 3)
        record.isSourceStale = chance(1, in: 3)
        record.answeredThrough = chance(1, in: 3) ? EventSequence(cursor + 7) : nil
        record.staleThrough = chance(1, in: 3) ? EventSequence(cursor) : nil
        if chance(1, in: 4) {
            record.generation += 1
            record.epoch = chance(1, in: 3) ? nil : ByteString("epoch \(record.generation)")
            record.lost = []
        }
        if chance(1, in: 3), record.lost.last.map({ $0.last.rawValue + 1 < cursor }) ?? true {
            record.lost.append(LostRange(first: EventSequence(cursor), last: EventSequence(cursor)))
        }
        state.libraries[index] = record
        flush.libraries.append(record)
    }

    private mutating func clearLibraries(_ flush: inout FlushBatch) {
        for index in state.libraries.indices where chance(1, in: 3) {
            let library = LibraryIndex(index)
            flush.clearedLibraries.append(library)
            entities = entities.filter { $0.key.library != library }
            state.tombstones.removeAll { $0.key.library == library }
        }
        // Removed rows may be used again in the same flush, under other keys.
        usedRows = Set(entities.values.map(\.row))
    }

    private mutating func changeEntities(_ flush: inout FlushBatch) {
        var touched: Set<StoredKey> = []
        for _ in 0..<Int.random(in: 0...rowCountMax, using: &random) {
            let key = randomKey()
            guard touched.insert(key).inserted else { continue }
            clock += 7
            if let stored = entities[key] {
                let draw = Int.random(in: 0..<weights.reduce(0, +), using: &random)
                let change: FlushRow.Change =
                    draw < weights[0] ? .delete : draw < weights[0] + weights[1] ? .stamp : .update
                write(key, row: stored.row, change: change, &flush)
            } else {
                var row = Int64.random(in: 1...Int64(usedRows.count + 3), using: &random)
                while usedRows.contains(row) { row += 1 }
                write(key, row: row, change: .insert, &flush)
            }
        }
        flush.rows.sort { $0.row < $1.row }
        usedRows = Set(entities.values.map(\.row))
    }

    private mutating func write(_ key: StoredKey, row: Int64, change: FlushRow.Change, _ flush: inout FlushBatch) {
        let sequence = chance(1, in: 5) ? nil : EventSequence(Int64.random(in: 0...Int64.max, using: &random))
        let generation = chance(1, in: 2) ? 0 : UInt32.random(in: 0...UInt32.max, using: &random)
        var payload: [UInt8] = []
        if change == .insert || change == .update { payload = randomPayload(key) }
        let isUUID = if case .uuid = key.id { true } else { false }
        let id = if case .uuid(let value) = key.id { value.bytes } else { key.id.text.bytes }
        let idOffset = flush.bytes.count
        flush.bytes += id
        let payloadOffset = flush.bytes.count
        flush.bytes += payload
        var fields = change == .delete || chance(2, in: 3) ? [] : randomBytes(countMax: chance(1, in: 9) ? 9_000 : 60)
        if change == .stamp {
            let before = Completeness(fields: entities[key]?.fields ?? [])
            if Completeness(fields: fields) != before { fields = [before.rawValue] + fields.dropFirst() }
        }
        let fieldsOffset = flush.bytes.count
        flush.bytes += fields
        let isReduced = !fields.isEmpty && chance(1, in: 3)
        if isReduced { reduced.insert(key) } else { reduced.remove(key) }
        flush.rows.append(
            FlushRow(
                row: row, change: change, library: key.library, type: key.type, isUUID: isUUID, idOffset: idOffset,
                idCount: id.count, payloadOffset: payloadOffset, payloadCount: payload.count,
                fieldsOffset: fieldsOffset, fieldsCount: fields.count, sequence: sequence, generation: generation,
                writtenAt: clock, isReduced: isReduced))
        usedRows.insert(row)
        state.tombstones.removeAll { $0.key == key }
        if change == .delete {
            entities[key] = nil
            let tombstone = Tombstone(sequence: sequence, generation: generation, deletedAt: clock)
            state.tombstones.append((key, tombstone))
            flush.tombstones.append(FlushTombstone(key: key, tombstone: tombstone))
            return
        }
        if change == .insert { flush.tombstones.append(FlushTombstone(key: key, tombstone: nil)) }
        entities[key] = StoredEntity(
            key: key, row: row, payload: change == .stamp ? entities[key]?.payload ?? [] : payload, fields: fields,
            sequence: sequence, generation: generation, writtenAt: clock)
    }

    private mutating func randomKey() -> StoredKey {
        let number = Int.random(in: 0..<idCount, using: &random)
        let id: StoredID =
            switch number % 4 {
            case 0: .uuid(JournalModel.uuid(number))
            case 3:
                .text(ByteString(JournalModel.uuid(number / 2).text.prefix(number % 35) + [UInt8(number % 94) + 33]))
            case 1: .text(ByteString("\(number)"))
            default: .text(ByteString("text id \(number) \u{0} ü"))
            }
        return StoredKey(
            library: LibraryIndex(number % state.libraries.count), type: TypeIndex(number % state.types.count), id: id)
    }

    /// Makes a UUID whose text is close to others in order: one in eight keeps only the first byte of its high half.
    private static func uuid(_ number: Int) -> UUIDValue {
        let high = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return UUIDValue(high: number % 8 == 0 ? high & 0xFF00_0000_0000_0000 : high, low: UInt64(number))
    }

    private mutating func randomBytes(countMax: Int) -> [UInt8] {
        random.bytes(Int.random(in: 1...countMax, using: &random))
    }

    private mutating func randomPayload(_ key: StoredKey) -> [UInt8] {
        var quoted: [UInt8] = []
        CanonicalString.append(isJSON ? Array("\(key.type)".utf8) : key.id.text.bytes, to: &quoted)
        let id = String(decoding: quoted, as: UTF8.self)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return Array("{}".utf8)
        case 1 where !isJSON:
            // A payload that hardly compresses.
            let digits = (0..<Int.random(in: 1...400, using: &random)).map { _ in String(random.next(), radix: 36) }
            return Array("{\"noise\":\"\(digits.joined())\"}".utf8)
        case 2:
            return Array(
                "{\"id\":\(id),\"text\":\"\(String(repeating: "abc ", count: Int.random(in: 0...5_000, using: &random)))\"}"
                    .utf8)
        default:
            return Array(
                "{\"name\":\"\(random.next() % (isJSON ? 9 : 1_000))\",\"id\":\(id),\"size\":\(random.next() % (isJSON ? 100 : 100_000))}"
                    .utf8)
        }
    }

    /// Makes a rule about fields that payloads have, with a library, a type and a page size to read.
    package mutating func randomRule() -> (library: LibraryIndex, type: TypeIndex, countMax: Int, rule: String) {
        let key = randomKey()
        let size = random.next() % 100
        let name = random.next() % 9
        let predicates = [
            #"{"path":"/size","gt":\#(size)}"#, #"{"path":"/size","lte":\#(size)}"#,
            #"{"path":"/size","exists":false}"#,
            #"{"path":"/name","eq":"\#(name)"}"#, #"{"path":"/name","in":["\#(name)","3","12"]}"#,
            #"{"all":[{"path":"/name","eq":"\#(name)"},{"path":"/size","gt":\#(size)}]}"#,
            #"{"any":[{"path":"/size","lt":\#(size / 4)},{"path":"/size","gte":\#(size)}]}"#,
            #"{"path":"/text","prefix":"abc abc"}"#, #"{"not":{"path":"/name","eq":"1"}}"#,
        ]
        let predicate = predicates[Int.random(in: 0..<predicates.count, using: &random)]
        return (
            key.library, key.type, Int.random(in: 1...9, using: &random),
            #"{"resource_type":"type-\#(key.type)","where":\#(predicate)}"#
        )
    }

    // MARK: Comparing

    /// Returns keys in no order: all that are stored, and some that are not.
    mutating func keysToLoad() -> [StoredKey] {
        var keys = Set(entities.keys)
        for _ in 0..<20 { keys.insert(randomKey()) }
        return Array(keys)
    }

    /// The rows that a scan of all rows must return, in any order.
    var rowAges: Set<StoredRowAge> {
        Set(
            entities.values.map {
                StoredRowAge(
                    stored: StoredRow(key: $0.key, row: $0.row), writtenAt: $0.writtenAt,
                    isReduced: reduced.contains($0.key))
            })
    }

    /// Returns a page size for a scan of all rows.
    mutating func rowPageCount() -> Int {
        chance(1, in: 2) ? entities.count + 1 : 1 + entities.count / Int.random(in: 2...5, using: &random)
    }

    /// The number of entities of each library and type that has any.
    var entityCounts: Set<JournalEntityCount> {
        let groups = Dictionary(grouping: entities.keys) {
            StoredKey(library: $0.library, type: $0.type, id: .text(""))
        }
        return Set(
            groups.map { JournalEntityCount(library: $0.key.library, type: $0.key.type, count: Int64($0.value.count)) })
    }

    mutating func randomQuarantineSelection() -> QuarantineSelection {
        quarantine.randomSelection(libraries: state.libraries.map(\.name))
    }

    func quarantined(_ selection: QuarantineSelection) -> [QuarantineRecord] { quarantine.selected(selection) }

    /// Returns the arguments of a page, and the entities that it must have, in order.
    mutating func randomPage() -> (
        library: LibraryIndex, type: TypeIndex, after: StoredID?, countMax: Int, entities: [StoredEntity]
    ) {
        let key = randomKey()
        let after = chance(1, in: 4) ? nil : chance(1, in: 2) ? key.id : randomKey().id
        let countMax = chance(1, in: 3) ? 1_000 : Int.random(in: 1...7, using: &random)
        let behind = entities.values.filter { entity in
            entity.key.library == key.library && entity.key.type == key.type
                && (after.map { $0.text.bytes.lexicographicallyPrecedes(entity.key.id.text.bytes) } ?? true)
        }
        let sorted = behind.sorted { $0.key.id.text.bytes.lexicographicallyPrecedes($1.key.id.text.bytes) }
        return (key.library, key.type, after, countMax, Array(sorted.prefix(countMax)))
    }

    /// Compares a recovered state with the one that the flushes describe.
    ///
    /// - Returns: nil when they are equal.
    func difference(to recovered: RecoveredState) -> String? {
        if recovered.libraries != state.libraries {
            return "libraries are \(recovered.libraries), not \(state.libraries)"
        }
        if recovered.types != state.types { return "types are \(recovered.types), not \(state.types)" }
        if recovered.tombstones.map(\.key) != state.tombstones.map(\.key)
            || recovered.tombstones.map(\.tombstone) != state.tombstones.map(\.tombstone)
        {
            return "tombstones are \(recovered.tombstones), not \(state.tombstones)"
        }
        if recovered.counts != state.counts { return "counts are \(recovered.counts), not \(state.counts)" }
        if recovered.lastTakenAt != state.lastTakenAt { return "the last flush is of \(recovered.lastTakenAt ?? -1)" }
        if recovered.ignoredKinds != state.ignoredKinds { return "ignored kinds are \(recovered.ignoredKinds)" }
        if recovered.evicted != state.evicted { return "evicted keys are otherwise" }
        if let difference = queries.difference(to: recovered) { return difference }
        return layers.difference(to: recovered)
    }
}
