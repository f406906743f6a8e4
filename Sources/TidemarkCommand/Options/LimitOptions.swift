import ArgumentParser
import Tidemark

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

    private static let sizeMax = 1 << 40

    func validate() throws {
        try check("--memory-limit-kb", memoryLimit)
        if let autoEvict {
            try check("--auto-evict-kb", autoEvict)
            guard autoEvict <= memoryLimit else {
                throw ValidationError(
                    "--auto-evict-kb \(autoEvict) is more than --memory-limit-kb \(memoryLimit): pass at most that.")
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
    }
}
