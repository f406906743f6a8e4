/// The expected content of the tiers after each step: dictionaries, and one array in the order of use. It shares no
/// code with the cache.
///
/// The types: `file` has no rule, `card` keeps the fields `v0` and `v1`, `tag` is never evicted, `mem` is in memory
/// only, `disk` is on the disk only.
struct NaiveEviction {
    struct Name: Hashable {
        var type: String
        var id: Int
    }

    enum Known {
        case whole
        case reduced
        case partial
    }

    struct Row {
        /// The fields in order, without `id`.
        var fields: [(name: String, value: String)]
        var writtenAt: Int64
        var number: Int
        var known = Known.whole
        /// The names of fields with dates of their own; nil when all were written at once.
        var dated: Set<String>?
        /// The bytes of the block in memory.
        var blockCount = 0
    }

    let memoryMax: Int
    let entityMax: Int
    /// The names in memory, the least recently used first.
    private(set) var recent: [Name] = []
    private(set) var memory: [Name: Row] = [:]
    private(set) var disk: [Name: Row] = [:]
    private(set) var evicted: Set<Name> = []
    private(set) var deleted: Set<Name> = []
    private var dirty: Set<Name> = []
    /// The names that were evicted while the disk still has them.
    private var forgotten: Set<Name> = []
    private(set) var observed: Set<Name> = []
    private var nextNumber = 1
    private var isUnwritten = false
    private var kept = 0
    /// The number of entities when none of them could be evicted; 0 after one could.
    private(set) var crowded = 0
    private var hasRestarted = false
    private(set) var evictedCount = 0
    /// The number of entities that a limit of both tiers evicted.
    private var leftCount = 0

    init(memoryMax: Int, entityMax: Int) {
        self.memoryMax = memoryMax
        self.entityMax = entityMax
    }

    var names: Set<Name> { Set(memory.keys).union(disk.keys.filter { !forgotten.contains($0) }) }

    // MARK: Bytes

    static func text(_ id: Int, _ fields: [(name: String, value: String)]) -> String {
        "{\"id\":\"k\(id)\"" + fields.map { ",\"\($0.name)\":\($0.value)" }.joined() + "}"
    }

    private func blockCount(_ name: Name, _ row: Row) -> Int {
        let count = "k\(name.id)".utf8.count + Self.text(name.id, row.fields).utf8.count
        precondition(count > 0 && count <= 1_024, "blocks of other sizes are not known here")
        return (count + 3) / 4 * 4
    }

    var memoryByteCount: Int {
        memory.values.reduce(0) { sum, row in
            sum + 64 + row.blockCount + (row.dated.map { $0.reduce(112) { $0 + 112 + $1.utf8.count } } ?? 0)
        }
    }

    // MARK: Operations

    mutating func observe(_ name: Name) {
        observed.insert(name)
        // The entity's type may need a number.
        if types.insert(name.type).inserted { isUnwritten = true }
    }

    mutating func cancel(_ name: Name) { observed.remove(name) }

    private mutating func use(_ name: Name) {
        recent.removeAll { $0 == name }
        recent.append(name)
    }

    private mutating func put(_ name: Name, _ row: Row) {
        var row = row
        row.blockCount = blockCount(name, row)
        memory[name] = row
        if name.type != "mem" { dirty.insert(name) }
    }

    /// Loads an entity that is on the disk alone, when an operation needs it. The caller must end the load.
    private mutating func load(_ name: Name) -> Bool {
        let isNeeded =
            name.type != "mem" && memory[name] == nil && !deleted.contains(name) && !forgotten.contains(name)
            && onlyOnDisk > 0
        if isNeeded, var row = disk[name] {
            row.blockCount = blockCount(name, row)
            memory[name] = row
            use(name)
        }
        return isNeeded
    }

    private var onlyOnDisk: Int { disk.keys.count { memory[$0] == nil && !forgotten.contains($0) } }

    mutating func change(_ name: Name, _ fields: [(name: String, value: String)], merges: Bool, at now: Int64) {
        wait()
        guard known(name.type) else {
            // The first event of a type needs no load.
            types.insert(name.type)
            return apply(name, fields, merges: merges, at: now)
        }
        let hasLoaded = load(name)
        apply(name, fields, merges: merges, at: now)
        if hasLoaded { checkMemory() }
    }

    /// The most entities that there may be at any moment, as long as some can be evicted.
    var bound: Int { max(entityMax + entityMax / 10, crowded + crowded / 8) }

    /// Evicts until there is room, or nothing more can be evicted; input waits for this before it changes anything.
    private mutating func wait() {
        while names.count > bound {
            if makeRoom() { crowded = min(crowded, names.count) } else { crowded = names.count }
        }
    }

    private var types: Set<String> = []
    private func known(_ type: String) -> Bool { types.contains(type) }

    private mutating func apply(
        _ name: Name, _ fields: [(name: String, value: String)], merges: Bool, at now: Int64
    ) {
        isUnwritten = true
        guard var row = memory[name] else {
            if merges, !deleted.contains(name), evicted.contains(name) || name.type == "mem" && hasRestarted { return }
            deleted.remove(name)
            evicted.remove(name)
            put(name, Row(fields: fields, writtenAt: now, number: nextNumber))
            nextNumber += 1
            return use(name)
        }
        if merges {
            for field in fields {
                if let index = row.fields.firstIndex(where: { $0.name == field.name }) {
                    row.fields[index] = field
                } else {
                    row.fields.append(field)
                }
            }
            let named = Set(fields.map(\.name)).union(["id"])
            row.dated = (row.dated ?? []).union(named)
            if row.known == .reduced { row.known = .partial }
            // A write of all fields dates them all at once.
            if row.known == .whole, row.dated == named, named.isSuperset(of: row.fields.map(\.name)) { row.dated = nil }
        } else {
            row.fields = fields
            row.dated = nil
            row.known = .whole
        }
        row.writtenAt = now
        put(name, row)
        use(name)
    }

    mutating func delete(_ name: Name) {
        wait()
        isUnwritten = true
        let hasLoaded = known(name.type) && load(name)
        types.insert(name.type)
        drop(name)
        evicted.remove(name)
        deleted.insert(name)
        if hasLoaded { checkMemory() }
    }

    private mutating func drop(_ name: Name) {
        memory[name] = nil
        recent.removeAll { $0 == name }
        dirty.remove(name)
        if disk[name] != nil { forgotten.insert(name) }
    }

    /// Returns the result of a read of all fields, or of some: the resource, or the reason why there is none.
    mutating func read(_ name: Name, _ wanted: Set<String>?) -> String {
        guard types.contains(name.type) else { return "absent" }
        let hasLoaded = load(name)
        defer { if hasLoaded { checkMemory() } }
        guard let row = memory[name] else {
            return deleted.contains(name) ? "deleted" : evicted.contains(name) ? "evicted" : "absent"
        }
        use(name)
        guard let wanted else { return row.known == .whole ? Self.text(name.id, row.fields) : "evicted" }
        let fields = row.fields.filter { wanted.contains($0.name) }
        if row.known != .whole, fields.count < wanted.count { return "evicted" }
        return "{" + fields.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    mutating func restart() {
        settle()
        memory = [:]
        recent = []
        observed = []
        kept = 0
        crowded = 0
        hasRestarted = hasRestarted || !types.isEmpty
        types = types.union(disk.keys.map(\.type))
        nextNumber = (disk.values.map(\.number).max() ?? 0) + 1
        makeRoom()
    }

    // MARK: Evictions

    mutating func settle() {
        var before = -1
        repeat {
            before = evictedCount
            if isUnwritten {
                commit()
                kept = 0
                checkMemory()
                makeRoom()
            }
            makeRoom()
        } while before != evictedCount
    }

    private mutating func commit() {
        for name in forgotten { disk[name] = nil }
        forgotten = []
        for name in dirty { disk[name] = memory[name] }
        dirty = []
        isUnwritten = false
    }

    private func mustStay(_ name: Name) -> Bool {
        dirty.contains(name) || observed.contains(name) || name.type == "tag"
    }

    private mutating func checkMemory() {
        for name in recent where name.type == "disk" && !mustStay(name) {
            memory[name] = nil
            recent.removeAll { $0 == name }
        }
        guard memory.count > kept + kept / 8, memoryByteCount > memoryMax else { return }
        let goal = memoryMax - memoryMax / 10
        for name in recent where memoryByteCount > goal {
            if mustStay(name) {
                use(name)
            } else if name.type == "mem" {
                _ = leave(name)
            } else {
                memory[name] = nil
                recent.removeAll { $0 == name }
                evictedCount += 1
            }
        }
        if memoryByteCount > goal { kept = memory.count }
    }

    /// Evicts an entity from both tiers, or reduces it to the fields that stay.
    ///
    /// - Returns: Whether anything was evicted.
    private mutating func leave(_ name: Name) -> Bool {
        isUnwritten = true
        if name.type == "card" {
            use(name)
            guard var row = memory[name], row.known != .reduced else { return false }
            row.fields = row.fields.filter { ["v0", "v1"].contains($0.name) }
            row.dated = (row.dated ?? []).intersection(["id", "v0", "v1"])
            row.known = .reduced
            put(name, row)
        } else {
            drop(name)
            evicted.insert(name)
        }
        evictedCount += 1
        return true
    }

    /// Evicts entities down to the limits.
    ///
    /// - Returns: Whether anything was evicted.
    @discardableResult
    private mutating func makeRoom() -> Bool {
        var excess = names.count - entityMax
        guard excess > 0 else {
            crowded = 0
            return false
        }
        let countBefore = leftCount
        defer { if leftCount > countBefore { crowded = min(crowded, names.count) } }
        let old = disk.filter {
            memory[$0.key] == nil && !forgotten.contains($0.key) && $0.key.type != "tag"
                && !deleted.contains($0.key) && !($0.key.type == "card" && $0.value.known == .reduced)
        }
        .sorted { ($0.value.writtenAt, $0.value.number) < ($1.value.writtenAt, $1.value.number) }
        .prefix(excess).map(\.key)
        let cards = old.filter { $0.type == "card" }
        for name in cards { _ = load(name) }
        for name in cards where leave(name) {
            excess -= 1
            leftCount += 1
        }
        if !cards.isEmpty { checkMemory() }
        for name in old where name.type != "card" {
            forgotten.insert(name)
            evicted.insert(name)
            isUnwritten = true
            evictedCount += 1
            leftCount += 1
            excess -= 1
        }
        for name in recent where excess > 0 {
            // An entity that is not written yet need not be.
            if observed.contains(name) || name.type == "tag" {
                use(name)
            } else if leave(name) {
                excess -= 1
                leftCount += 1
            }
        }
        return leftCount > countBefore
    }
}
