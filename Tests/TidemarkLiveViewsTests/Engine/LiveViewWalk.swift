import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// One random life of a cache with views.
struct LiveViewWalk {
    enum Storage {
        case memory, file
    }

    let seed: UInt64
    private var random: SeededGenerator
    private let storage: Storage
    private let folder: TemporaryFolder
    private var memory = MemoryJournal.Store()
    private var configuration = CacheConfiguration()
    private var world: LiveWorld
    private var pending: [String] = []
    private var nextPending = 0
    private var isFull = false
    private var notes: [String] = []

    init(seed: UInt64, storage: Storage) async throws {
        self.seed = seed
        self.storage = storage
        random = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        // So little memory that entities are evicted from it all the time.
        if random.percent(60) { configuration.memoryByteCountMax = random.count(1...600) }
        if random.percent(20) { configuration.eviction.entityCountMax = Int64(random.count(4...12)) }
        world = try await LiveViewWalk.open(storage, memory, folder, configuration)
    }

    private static func open(
        _ storage: Storage, _ memory: MemoryJournal.Store, _ folder: TemporaryFolder,
        _ configuration: CacheConfiguration
    ) async throws -> LiveWorld {
        switch storage {
        case .memory:
            return try await LiveWorld.open(MemoryJournal(store: memory), configuration, clock: SystemClock())
        case .file:
            var options = SQLiteJournal.Configuration(path: folder.path + "/views.db")
            options.blockEntityCountMin = 6
            return try await LiveWorld.open(
                try await SQLiteJournal.open(options), configuration, clock: SystemClock())
        }
    }

    mutating func run() async throws {
        for _ in 0..<random.count(0...12) { try await ingest() }
        for _ in 0..<random.count(1...2) { try await observe() }
        try await check("at first")
        for step in 0..<25 {
            try await self.step()
            if !isFull { try await check("step \(step)") }
        }
        try await world.cache.close()
    }

    private func check(_ place: String) async throws {
        try await world.check("seed \(seed), \(place), after \(notes.suffix(6).joined(separator: "; "))")
    }

    // MARK: Steps

    private mutating func step() async throws {
        switch random.count(0...99) {
        case 0...44: try await ingest()
        case 45...59: try await edit()
        case 60...69: try await settle()
        case 70...73: try await remove()
        case 74...77: try await world.cache.flush()
        case 78...80: try await define()
        case 81, 82: try await drop()
        case 83...86: try await move()
        case 87...89: try await observe()
        case 90...94: try await beSlow()
        case 95: try await clear()
        default: try await reopen()
        }
        world.forgetEnded()
    }

    private mutating func note(_ text: String) { notes.append(text) }

    private mutating func ingest() async throws {
        var lines: [String] = []
        for _ in 0..<(random.percent(70) ? 1 : random.count(2...4)) {
            let type = random.one(RandomEntities.types)
            let id = RandomEntities.id(&random)
            switch random.count(0...9) {
            case 0, 1: lines.append(#"{"ResourceDeleted":{"resource_type":"\#(type)","resource_id":"\#(id)"}}"#)
            case 2, 3:
                let resources = (0..<random.count(1...4)).map { _ in
                    RandomEntities.resource(RandomEntities.id(&random), &random)
                }
                lines.append(
                    #"{"ResourceBatchChanged":{"resource_type":"\#(type)","resources":[\#(resources.joined(separator: ","))]}}"#
                )
            default:
                lines.append(
                    #"{"ResourceChanged":{"resource_type":"\#(type)","resource":\#(RandomEntities.resource(id, &random))}}"#
                )
            }
        }
        note(lines.joined(separator: " "))
        try await world.cache.ingest(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private mutating func edit() async throws {
        var operations: [TransactionOperation] = []
        for _ in 0..<random.one([1, 1, 2, 3]) {
            let (type, id) = (ByteString(random.one(RandomEntities.types)), RandomEntities.id(&random))
            switch random.count(0...9) {
            case 0, 1: operations.append(.delete(type: type, id: ByteString(id)))
            case 2...4:
                operations.append(.put(type: type, resource: Array(RandomEntities.resource(id, &random).utf8)))
            default:
                let field = random.one(RandomEntities.fields)
                let value = RandomEntities.value(field, &random)
                operations.append(
                    .patch(type: type, id: ByteString(id), fields: Array(#"{"\#(field)":\#(value)}"#.utf8), unset: []))
            }
        }
        nextPending += 1
        let id = "e\(nextPending)"
        note("edit \(id) \(operations.count)")
        do throws(CacheError) {
            try await world.cache.update(
                OptimisticUpdate(pendingID: ByteString(id), library: "", operations: operations))
            pending.append(id)
        } catch {
            // A resource with repeated members, for example.
            guard error.code == .invalidParams else { throw error }
        }
    }

    private mutating func settle() async throws {
        guard !pending.isEmpty else { return }
        let id = pending.remove(at: random.count(0...pending.count - 1))
        note("settle \(id)")
        if random.percent(50) {
            try await world.cache.rollBack(ByteString(id))
        } else {
            try await world.cache.commit(OptimisticCommit(pendingID: ByteString(id), confirmed: []))
        }
    }

    private mutating func remove() async throws {
        var removal = Removal()
        removal.resourceType = ByteString(random.one(RandomEntities.types))
        removal.ids = [ByteString(RandomEntities.id(&random))]
        note("remove \(removal)")
        _ = try await world.cache.remove(removal)
    }

    private mutating func clear() async throws {
        note("clear")
        try await world.cache.clear()
    }

    private mutating func define() async throws {
        guard let (rule, names) = drawnRule(), names.isEmpty else { return }
        let name = random.one(["v", "w"])
        note("define \(name) \(rule)")
        try await world.define(name, rule)
    }

    private mutating func drop() async throws {
        guard let name = world.definitions.keys.sorted().first else { return }
        note("drop \(name)")
        try await world.drop(name)
    }

    private mutating func move() async throws {
        guard !world.observers.isEmpty else { return }
        let place = random.count(0...world.observers.count - 1)
        let offset = random.percent(60) ? random.count(0...3) : nil
        let limit = random.percent(60) ? random.count(1...4) : nil
        note("move \(place) to \(String(describing: offset)), \(String(describing: limit))")
        try await world.move(place, offset: offset, limit: limit)
    }

    private mutating func observe() async throws {
        guard world.observers.count < 4 else { return }
        if let (name, rule) = world.definitions.sorted(by: { $0.key < $1.key }).first, random.percent(40) {
            note("observe \(name)")
            _ = try await world.observe(rule: rule, name: name)
            return
        }
        guard let (rule, names) = drawnRule() else { return }
        var rules = RandomRule(seed: seed &* 77 &+ UInt64(nextPending), hasParameters: true)
        let params = rules.values(names)
        note("observe \(rule) with \(params)")
        _ = try await world.observe(
            rule: rule, params: params, offset: random.percent(20) ? random.count(0...2) : nil,
            limit: random.percent(20) ? random.count(1...3) : nil)
    }

    /// Lets the reader of notifications be slow for a while.
    private mutating func beSlow() async throws {
        note("slow")
        world.sink.setFull(true)
        isFull = true
        for _ in 0..<random.count(1...3) { try await ingest() }
        if random.percent(50) { try await edit() }
        world.sink.setFull(false)
        isFull = false
        let sink = world.sink
        await world.cache.resume(sink)
    }

    /// Opens the cache again, from what is durable.
    private mutating func reopen() async throws {
        let definitions = world.definitions
        if storage == .memory, random.percent(50) {
            note("crash")
            memory = await memory.copy()
        } else {
            note("reopen")
            try await world.cache.close()
        }
        world = try await LiveViewWalk.open(storage, memory, folder, configuration)
        world.definitions = definitions
        // Results of the earlier process, before they are computed again.
        try await check("opened")
        try await observe()
    }

    private mutating func drawnRule() -> (rule: String, names: [String])? {
        var rules = RandomRule(seed: random.next(), hasParameters: random.percent(30))
        for _ in 0..<5 {
            let rule = rules.view()
            if let checked = try? ViewRule(json: Array(rule.utf8)) {
                return (rule, checked.parameters.map(\.description))
            }
        }
        return nil
    }
}
