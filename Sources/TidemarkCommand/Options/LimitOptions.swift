import ArgumentParser
import Tidemark
import TidemarkModel

/// Options for the limits of a cache, and for exceptions from eviction.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("memory-limit-kb"),
        help: ArgumentHelp(
            "Memory for entities, in KB of 1,024 bytes. Above it, the least recently used are evicted from memory and read from the database. Default: a quarter of the machine's memory, or of its container's.",
            valueName: "kb"))
    var memoryLimitGiven: Int?
    @Option(
        name: .customLong("auto-evict-kb"),
        help: ArgumentHelp(
            "How far below --memory-limit-kb and --disk-limit-kb eviction goes once a limit is exceeded; at most the limit that is given. Default: a tenth of each.",
            valueName: "kb"))
    var autoEvict: Int?

    @Option(
        name: .customLong("disk-limit-kb"),
        help: ArgumentHelp(
            "The size of the database, in KB. Above it, the least recently used entities are evicted. Default: no limit.",
            valueName: "kb"))
    var diskLimit: Int?
    @Option(
        name: .customLong("max-entities"),
        help: ArgumentHelp(
            "The number of entities in memory and on disk together. Above it, the least recently used are evicted. Default: no limit.",
            valueName: "n"))
    var entityCountMax: Int64?
    @Option(
        name: .customLong("evict-ignore"),
        help: ArgumentHelp(
            "A type that is never evicted, whatever the limits, or a field of a type: other fields are then evicted before it. The last dot separates type and field; for a type with a dot in its name write type.*, which keeps all of its fields. May be given several times.",
            valueName: "type|type.field"))
    var kept: [KeptName] = []
    @Option(
        name: .customLong("memory-exclude"),
        help: ArgumentHelp(
            "A type that is kept on disk only, and read from there each time. May be given several times.",
            valueName: "type"))
    var memoryExcluded: [String] = []
    @Option(
        name: .customLong("disk-exclude"),
        help: ArgumentHelp(
            "A type that is kept in memory only: its entities and queries are lost at a restart, and those in the database are removed now. May be given several times.",
            valueName: "type"))
    var diskExcluded: [String] = []
    @Option(
        name: .customLong("max-queries"),
        help: ArgumentHelp(
            "The number of stored queries. Above it, the least recently read query without an observer is evicted.",
            valueName: "n"))
    var queryCountMax = Limits().queryCountMax

    @Option(
        name: .customLong("max-entity-bytes"),
        help: ArgumentHelp(
            "The size of one entity as compact JSON, in bytes. An event that would make it larger is quarantined, a request is refused.",
            valueName: "n"))
    var entityByteCountMax = Limits.entityByteCountCeiling

    /// A quarter of the memory available to this process, in KB. Entities take the largest part; other programs and the
    /// system's page cache need room as well.
    private static let memoryLimitDefault = min(sizeMax, MachineMemory.current().byteCount / 4 / 1_024)
    /// The default memory limit in bytes: a quarter of the memory available to this process.
    static var memoryByteCountDefault: Int { memoryLimitDefault * 1_024 }
    private static let sizeMax = 1 << 40
    /// The lowest disk limit in KB. An empty database takes half of it.
    private static let diskLimitMin = Int(EvictionPolicy.diskByteCountMin) / 1_024
    private static let queryCountBound = 10_000_000

    func validate() throws {
        if let memoryLimitGiven { try check("--memory-limit-kb", memoryLimitGiven) }
        if let diskLimit { try check("--disk-limit-kb", diskLimit, least: LimitOptions.diskLimitMin) }
        if let entityCountMax, entityCountMax < 0 {
            throw ValidationError("--max-entities takes 0 or more, not \(entityCountMax).")
        }
        guard (1...Limits.entityByteCountCeiling).contains(entityByteCountMax) else {
            throw ValidationError(
                "--max-entity-bytes takes 1 to \(Limits.entityByteCountCeiling), not \(entityByteCountMax).")
        }
        if memoryExcluded.contains("") { throw ValidationError("--memory-exclude is empty: pass a type.") }
        if diskExcluded.contains("") { throw ValidationError("--disk-exclude is empty: pass a type.") }
        guard (1...LimitOptions.queryCountBound).contains(queryCountMax) else {
            throw ValidationError("--max-queries takes 1 to \(LimitOptions.queryCountBound), not \(queryCountMax).")
        }
        if let autoEvict { try checkAutoEvict(autoEvict) }
    }

    /// Checks the value against the limits that the user passed. With a disk limit, a value above the default memory
    /// limit is allowed, because the user did not choose that default.
    private func checkAutoEvict(_ autoEvict: Int) throws {
        try check("--auto-evict-kb", autoEvict)
        if let memoryLimitGiven, autoEvict > memoryLimitGiven {
            throw ValidationError(
                "--auto-evict-kb \(autoEvict) is more than --memory-limit-kb \(memoryLimitGiven): pass at most \(memoryLimitGiven)."
            )
        }
        guard let diskLimit else {
            guard autoEvict <= memoryLimit else {
                throw ValidationError(
                    "--auto-evict-kb \(autoEvict) is more than --memory-limit-kb, which is \(memoryLimit) by default: pass at most \(memoryLimit), or a higher limit."
                )
            }
            return
        }
        let most = diskLimit - LimitOptions.diskLimitMin / 2
        guard autoEvict <= most else {
            throw ValidationError(
                "--auto-evict-kb \(autoEvict) leaves less of --disk-limit-kb \(diskLimit) than an empty database takes: pass at most \(most)."
            )
        }
    }

    private var memoryLimit: Int { memoryLimitGiven ?? LimitOptions.memoryLimitDefault }

    private func check(_ name: String, _ size: Int, least: Int = 0) throws {
        guard (least...LimitOptions.sizeMax).contains(size) else {
            throw ValidationError("\(name) takes \(least) to \(LimitOptions.sizeMax), not \(size).")
        }
    }

    /// Applies the options.
    ///
    /// - Parameter configuration: A configuration whose type aliases are already set.
    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if a type is excluded from both tiers.
    func apply(to configuration: inout CacheConfiguration) throws(Failure) {
        configuration.memoryByteCountMax = memoryLimit * 1_024
        configuration.eviction.autoEvictByteCount = autoEvict.map { $0 * 1_024 }
        configuration.eviction.diskByteCountMax = diskLimit.map { Int64($0) * 1_024 }
        configuration.eviction.entityCountMax = entityCountMax
        for name in kept {
            if let field = name.field {
                configuration.eviction.keptFields[name.type, default: []].insert(field)
            } else {
                configuration.eviction.keptTypes.insert(name.type)
            }
        }
        configuration.limits.queryCountMax = queryCountMax
        configuration.limits.entityByteCountMax = entityByteCountMax
        configuration.memoryExcludedTypes = Set(memoryExcluded.map { ByteString($0) })
        configuration.diskExcludedTypes = Set(diskExcluded.map { ByteString($0) })
        guard let twice = configuration.typesExcludedFromBothTiers.min() else { return }
        throw .usage(
            "\(Printable.text(twice)) is excluded from memory and from disk, so nothing of it would be kept",
            advice: "pass --memory-exclude or --disk-exclude for it, not both")
    }
}
