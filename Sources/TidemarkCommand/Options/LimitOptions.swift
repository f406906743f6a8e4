import ArgumentParser
import Tidemark
import TidemarkModel

/// What a cache may take, and what goes when it takes more.
struct LimitOptions: ParsableArguments {
    @Option(
        name: .customLong("memory-limit-kb"),
        help: ArgumentHelp(
            "What entities may take in memory, in KB of 1,024 bytes. Those used least recently are then read from the database.",
            valueName: "kb"))
    var memoryLimit = CacheConfiguration().memoryByteCountMax / 1_024
    @Option(
        name: .customLong("auto-evict-kb"),
        help: ArgumentHelp(
            "How far below a limit room is made when it is passed. Default: a tenth of the limit.", valueName: "kb"))
    var autoEvict: Int?

    @Option(
        name: .customLong("disk-limit-kb"),
        help: ArgumentHelp(
            "What the database may take, in KB. The entities used least recently are forgotten. Default: no limit.",
            valueName: "kb"))
    var diskLimit: Int?
    @Option(
        name: .customLong("max-entities"),
        help: ArgumentHelp(
            "Entities in memory and on disk together; those used least recently are forgotten. Default: no limit.",
            valueName: "n"))
    var entityCountMax: Int64?
    @Option(
        name: .customLong("evict-ignore"),
        help: ArgumentHelp("A type that stays, whatever the limits. May be given several times.", valueName: "type"))
    var keptTypes: [String] = []

    private static let sizeMax = 1 << 40

    func validate() throws {
        try check("--memory-limit-kb", memoryLimit)
        if let diskLimit { try check("--disk-limit-kb", diskLimit) }
        if let entityCountMax, entityCountMax < 0 {
            throw ValidationError("--max-entities takes 0 or more, not \(entityCountMax).")
        }
        if keptTypes.contains("") { throw ValidationError("--evict-ignore names no type.") }
        if let autoEvict {
            try check("--auto-evict-kb", autoEvict)
            let limit = min(memoryLimit, diskLimit ?? memoryLimit)
            guard autoEvict <= limit else {
                throw ValidationError(
                    "--auto-evict-kb \(autoEvict) is more than the limit of \(limit): pass at most that.")
            }
        }
    }

    private func check(_ name: String, _ size: Int) throws {
        guard (0...LimitOptions.sizeMax).contains(size) else {
            throw ValidationError("\(name) takes 0 to \(LimitOptions.sizeMax), not \(size).")
        }
    }

    func apply(to configuration: inout CacheConfiguration) {
        configuration.memoryByteCountMax = memoryLimit * 1_024
        configuration.eviction.autoEvictByteCount = autoEvict.map { $0 * 1_024 }
        configuration.eviction.diskByteCountMax = diskLimit.map { Int64($0) * 1_024 }
        configuration.eviction.entityCountMax = entityCountMax
        configuration.eviction.keptTypes = Set(keptTypes.map { ByteString($0) })
    }
}
