import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Ages against a model of them, under random writes of every kind, a clock that moves, jumps and is set back, and
/// restarts.
@Suite(.pooled, .tags(.model)) struct AgeModelTests {
    private static let names = ["a", "b", "c", "d"]

    private static func json(_ id: String, _ values: [String: Int]) -> String {
        #"{"id":"\#(id)""# + values.sorted { $0.key < $1.key }.map { #","\#($0.key)":\#($0.value)"# }.joined() + "}"
    }

    private static func bytes(_ values: [String: Int]) -> [UInt8] {
        Array(
            ("{" + values.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}")
                .utf8)
    }

    private struct AgeFixture {
        var model: NaiveAges
        var random: SeededGenerator
        let store = MemoryJournal.Store()
        var configuration = CacheConfiguration()
        var fixture: QueryFixture
        var sequence = 0
        var nextLayer = 0
        /// The entities with times in doubt as the journal has them: an entity that was not written since is dated anew
        /// at the next opening.
        var stored: [String: [String: NaiveAges.Cell]] = [:]
        /// The difference of the cache's clock to the machine's: the cache's clock never goes back.
        var lag: Int64 = 0

        var now: Int64 { fixture.clock.now() + lag }

        init(seed: UInt64) async throws {
            random = SeededGenerator(seed: seed ^ 0xA6E)
            let typeAge = random.chance(600) ? random.pick([0, 3, 10]) : nil
            var fieldAges: [String: Int] = [:]
            for name in AgeModelTests.names where random.chance(500) { fieldAges[name] = random.pick([0, 1, 5, 60]) }
            model = NaiveAges(typeAge: typeAge, fieldAges: fieldAges)
            let policy = CachePolicy([CachePolicy.Rules("file", maxAge: typeAge, fields: fieldAges)])
            let memoryByteCountMax = random.chance(300) ? 0 : 256 << 20
            fixture = try await QueryFixture.open(MemoryJournal(store: store), hasUpstream: false) {
                $0.policy = policy
                $0.defaultLibrary = "a"
                $0.memoryByteCountMax = memoryByteCountMax
            }
            configuration.policy = policy
            configuration.memoryByteCountMax = memoryByteCountMax
        }

        private mutating func values() -> [String: Int] {
            var values: [String: Int] = [:]
            for name in AgeModelTests.names where random.chance(500) { values[name] = random.below(3) }
            return values
        }

        private mutating func write(_ id: String, _ values: [String: Int], isWhole: Bool) {
            var cells = isWhole ? [:] : model.base[id] ?? [:]
            for (name, value) in values { cells[name] = NaiveAges.Cell(value: value, writtenAt: Int(now)) }
            model.base[id] = cells
            stored[id] = nil
        }

        /// Performs a random step.
        ///
        /// - Returns: The step in words, for a failure's message.
        mutating func step() async throws -> String {
            let id = random.pick(["1", "2", "3"])
            let values = values()
            let cache = fixture.cache
            switch random.below(10) {
            case 0, 1:
                let merges = random.chance(500)
                sequence += 1
                try await fixture.input.feed([
                    EventLine.change(
                        AgeModelTests.json(id, values), metadata: merges ? "{}" : nil, library: "a",
                        sequence: Int64(sequence))
                ])
                write(id, values, isWhole: !merges)
                return "\(merges ? "merge" : "event") \(id) \(values)"
            case 2:
                try await fixture.put([AgeModelTests.json(id, values)])
                write(id, values, isWhole: false)
                return "answer \(id) \(values)"
            case 3:
                let isPut = random.chance(400) || model.base[id] == nil
                try await cache.transact(
                    [
                        isPut
                            ? .put(type: "file", resource: Array(AgeModelTests.json(id, values).utf8))
                            : .patch(type: "file", id: ByteString(id), fields: AgeModelTests.bytes(values), unset: [])
                    ], library: "a")
                write(id, values, isWhole: isPut)
                return "\(isPut ? "put" : "patch") \(id) \(values)"
            case 4:
                nextLayer += 1
                try await cache.update(
                    OptimisticUpdate(
                        pendingID: ByteString("p\(nextLayer)"), library: "a",
                        operations: [
                            .patch(type: "file", id: ByteString(id), fields: AgeModelTests.bytes(values), unset: [])
                        ]))
                let cells = values.mapValues { NaiveAges.Cell(value: $0, writtenAt: Int(now)) }
                model.layers.append(NaiveAges.Layer(id: "p\(nextLayer)", entity: id, changes: cells))
                return "layer p\(nextLayer) \(id) \(values)"
            case 5:
                guard !model.layers.isEmpty else { return "no layer" }
                let layer = model.layers.remove(at: random.below(model.layers.count))
                let confirms = random.chance(500)
                if confirms {
                    try await cache.commit(
                        OptimisticCommit(
                            pendingID: ByteString(layer.id), library: "a",
                            confirmed: [Array(AgeModelTests.json(layer.entity, values).utf8)], resourceType: "file"))
                    write(layer.entity, values, isWhole: false)
                } else {
                    try await cache.rollBack(ByteString(layer.id))
                }
                return "\(confirms ? "confirm" : "roll back") \(layer.id) \(values)"
            case 6 where random.chance(300): return try await restart()
            default:
                try await cache.flush()
                let step = random.pick([Int64(1), 999, 1_000, 1_001, 4_000, 10_000])
                fixture.clock.advance(milliseconds: step)
                return "\(step) ms"
            }
        }

        /// Closes the cache, and opens it again after the machine's clock was set forward or back.
        private mutating func restart() async throws -> String {
            let before = now
            try await fixture.cache.flush()
            try await fixture.cache.close()
            let jump = random.pick([Int64(0), 5_000, -5_000, -1 << 30])
            let journal = MemoryJournal(store: store)
            let last = try await journal.recover().lastTakenAt
            let clock = ManualClock(now: before + jump)
            fixture = try await QueryFixture.open(
                MemoryJournal(store: store), clock: clock, hasUpstream: false
            ) { [configuration] in
                $0.policy = configuration.policy
                $0.defaultLibrary = "a"
                $0.memoryByteCountMax = configuration.memoryByteCountMax
            }
            lag = 0
            model.base.merge(stored) { $1 }
            stored = [:]
            if let last, clock.now() < last {
                // A cache whose clock is before its last write continues after that write. The age of
                // what was written between the two times is not known: it counts as written at 0.
                lag = last + 1 - clock.now()
                let doubtful = Int(clock.now()) + 1...Int(last)
                for (id, cells) in model.base where cells.values.contains(where: { doubtful.contains($0.writtenAt) }) {
                    stored[id] = cells
                    model.base[id] = cells.mapValues { cell in
                        doubtful.contains(cell.writtenAt) ? NaiveAges.Cell(value: cell.value, writtenAt: 0) : cell
                    }
                }
            }
            return "restart, clock \(jump), lag \(lag)"
        }

        /// Reads at moments around every limit of one entity, and compares the results.
        mutating func problem() async throws -> String? {
            let id = random.pick(["1", "2", "3"])
            let fields = random.chance(500) ? nil : AgeModelTests.names.filter { _ in random.chance(600) }
            let operationType = random.chance(200) ? random.pick([0, 2, 8]) : nil
            var operationFields: [String: Int] = [:]
            for name in AgeModelTests.names where random.chance(150) { operationFields[name] = random.pick([0, 1, 7]) }
            var maxStale: Int?
            // The clock moves to one millisecond before a limit, to the limit, or to one millisecond after it.
            if random.chance(600), let cell = model.visible(id)?.sorted(by: { $0.key < $1.key }).first,
                let seconds = model.limit(cell.key, operationType: operationType, operationFields: operationFields)
            {
                let moment = Int64(cell.value.writtenAt + seconds * 1_000 + random.below(3) - 1)
                if moment > now { fixture.clock.advance(milliseconds: moment - now) }
            }
            if random.chance(500) {
                maxStale = random.below(4_000)
                let own = model.read(
                    id, fields: fields, operationType: operationType, operationFields: operationFields, maxStale: nil,
                    now: Int(now))
                if case .expired(_, let writtenAt, let maxAge) = own {
                    maxStale = max(0, Int(now) - writtenAt - maxAge * 1_000 + random.below(3) - 1)
                }
            }
            // The model has no field for the id: it is not asked for, and its limit does not matter.
            var request = EntityRequest(
                EntityKey(library: "a", type: "file", id: ByteString(id)),
                fields: (fields ?? AgeModelTests.names).map { ByteString($0) })
            if let operationType { request.maxAges["file"] = operationType }
            for (name, seconds) in operationFields { request.maxAges[ByteString("file.\(name)")] = seconds }
            request.maxStale = maxStale.map { .milliseconds($0) }
            let read = try await fixture.cache.read(request)
            let wanted = model.read(
                id, fields: fields, operationType: operationType, operationFields: operationFields, maxStale: maxStale,
                now: Int(now))
            let isRight: Bool
            switch wanted {
            case .absent: isRight = read.miss == .absent && read.entity == nil && read.expired == nil
            case .found(let values, let isStale):
                isRight =
                    read.miss == nil && read.isStale == isStale && (read.expired != nil) == isStale
                    && AgeModelTests.values(read.entity) == values
            case .expired(let culprits, let writtenAt, let maxAge):
                let isCulprit = culprits.contains(read.expired?.field.description ?? "")
                let isDetail =
                    culprits.count > 1
                    || read.expired?.writtenAt == Int64(writtenAt) && read.expired?.maxAge == maxAge
                isRight = read.miss == .expired && read.entity == nil && isCulprit && isDetail
            }
            if isRight { return nil }
            return "file:\(id) \(fields ?? []) at \(now), max_stale \(maxStale ?? -1), ages \(request.maxAges): "
                + "\(read.miss.map(\.rawValue) ?? "found") \(String(describing: read.expired)) stale \(read.isStale) "
                + "\(AgeModelTests.values(read.entity)), not \(wanted)"
        }
    }

    private static func values(_ resource: [UInt8]?) -> [String: Int] {
        guard let resource, let root = try? JSONValue(parsing: resource) else { return [:] }
        var values: [String: Int] = [:]
        for name in names { if let number = root[name]?.number?.text { values[name] = Int(number) } }
        return values
    }

    @Test(arguments: TestScale.seeds(40))
    func `reads at every boundary agree with the model`(seed: UInt64) async throws {
        var fixture = try await AgeFixture(seed: seed)
        var run = RandomWalk(seed: seed)
        while run.next(of: 120) {
            run.note(try await fixture.step())
            for _ in 0..<3 { try run.check(try await fixture.problem().map { ["\($0)"] } ?? []) }
        }
        try await fixture.fixture.cache.close()
    }
}
