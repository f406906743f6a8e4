import Foundation

/// The cost of a store with more entities than memory holds, with RocksDB in the same run as the reference.
///
/// The stores get the same lines in batches of the same size, with one sync for each batch. They run one after the
/// other, each in a process of its own. If RocksDB is not installed, its figures and the goals that depend on them are
/// absent.
///
/// - Source: docs/decisions/0020-past-memory.md.
enum PastMemorySuite {
    /// The number of entities in the run in which all of them fit into memory. Costs past memory are compared with that
    /// run.
    private static let fittingCount = 200_000

    static func run(entityCounts: [Int], isSmoke: Bool, into report: inout Report) async throws {
        guard ProcessUse.isKnown else {
            throw BenchmarkError("the suite past-memory needs /proc, which only Linux has")
        }
        let fitting = try measure(.fits, entities: isSmoke ? 1_000 : fittingCount)
        let counts = entityCounts.isEmpty ? [isSmoke ? 2_000 : 1_000_000] : entityCounts
        for count in counts {
            var sized = Sized(count: count, name: counts.count > 1 ? ", \(text(count))" : "", fitting: fitting)
            let folder = try ScratchFolder()
            sized.tidemark = try measure(.stages, entities: count, in: folder)
            sized.opened = try measure(.open, entities: count, in: folder)
            do {
                sized.rocks = try measure(.stages, .rocks, entities: count, in: ScratchFolder())
            } catch let error as BenchmarkError {
                if !report.isJSON {
                    print("without RocksDB (\(error)): apt-get install librocksdb-dev, and build again")
                }
            }
            if count == counts[0] {
                sized.blocks = try measure(.stages, .blocks, entities: count, in: ScratchFolder())
                sized.rows = try measure(.stages, .rows, entities: count, in: ScratchFolder())
            }
            let killed = try ScratchFolder()
            try killLoad(of: count, in: killed)
            sized.reopened = try measure(.open, entities: count, in: killed)
            add(sized, to: &report)
            addCourse(sized, to: &report)
            addBlocks(sized, sized.blocks, "blocks alone", to: &report)
            addBlocks(sized, sized.rows, "rows", to: &report)
        }
        let held = try measure(.held, entities: isSmoke ? 2_000 : 100_000)
        report.add(
            name: "file held to 1,000 entities", value: (held["file"] ?? .nan) / 1e6, unit: "MB", goal: 4,
            hash: UInt64(held["entities"] ?? 0))
    }

    /// The figures of one size.
    private struct Sized {
        var count: Int
        var name: String
        var fitting: [String: Double]
        var tidemark: [String: Double] = [:]
        var rocks: [String: Double] = [:]
        var blocks: [String: Double] = [:]
        var rows: [String: Double] = [:]
        var opened: [String: Double] = [:]
        var reopened: [String: Double] = [:]

        init(count: Int, name: String, fitting: [String: Double]) {
            self.count = count
            self.name = name
            self.fitting = fitting
        }
    }

    // MARK: The figures and their goals

    /// Adds the figures that have goals, and those beside them.
    private static func add(_ sized: Sized, to report: inout Report) {
        let hash = UInt64(sized.tidemark["stored"] ?? 0)
        func nanoseconds(_ stage: PastMemoryStage, _ figures: [String: Double]) -> Double? {
            guard let seconds = figures["\(stage) seconds"], let lines = figures["\(stage) lines"] else { return nil }
            return seconds * 1e9 / lines
        }
        /// Adds a cost with its reference. A goal of 1 / 1.2 is a speed of at least 1.2 times the reference's.
        func add(_ name: String, _ stage: PastMemoryStage, _ reference: (String, Double?), goal: Double) {
            guard let value = nanoseconds(stage, sized.tidemark) else { return }
            if let referenceValue = reference.1 {
                report.add(
                    name: name + sized.name, values: [value], unit: "ns/event", count: stage.lineCount(of: sized.count),
                    referenceName: reference.0, referenceValues: [referenceValue], goal: goal, hash: hash)
            } else {
                report.add(name: name + sized.name, value: value, unit: "ns/event", goal: nil, hash: hash)
            }
        }
        func add(_ name: String, _ value: Double?, _ unit: String, goal: Double?, scale: Double = 1) {
            guard let value else { return }
            report.add(name: name + sized.name, value: value * scale, unit: unit, goal: goal, hash: hash)
        }
        add("load", .load, ("RocksDB", nanoseconds(.load, sized.rocks)), goal: 1 / 1.2)
        add("updates", .uniform, ("RocksDB", nanoseconds(.uniform, sized.rocks)), goal: 1)
        add("skewed updates", .skewed, ("RocksDB", nanoseconds(.skewed, sized.rocks)), goal: 1 / 1.2)
        add("updates, steady", .steady, ("RocksDB", nanoseconds(.steady, sized.rocks)), goal: 1 / 0.8)
        add("updates, cold", .cold, ("RocksDB", nanoseconds(.cold, sized.rocks)), goal: 1 / 0.7)
        let replacing = ("replacing", nanoseconds(.uniform, sized.tidemark))
        add("merging updates", .merging, replacing, goal: 2)
        add("updates of listed", .listed, replacing, goal: 2)
        add("updates of layered", .layered, replacing, goal: 2)
        add("updates, flat", .steady, ("200,000 in memory", nanoseconds(.steady, sized.fitting)), goal: 2)

        add("written an update, steady", sized.tidemark["steady written"], "bytes", goal: 800)
        add("written an update, RocksDB", sized.rocks["steady written"], "bytes", goal: nil)
        add("file / raw, load", sized.tidemark["load file"], "", goal: 0.36)
        add("file / raw, steady", sized.tidemark["steady file"], "", goal: 0.50)
        add("file / raw, RocksDB, steady", sized.rocks["steady file"], "", goal: nil)
        let limit = Double(PastMemorySizes.memoryByteCount) + 100e6
        let peaks = PastMemoryStage.allCases.compactMap { sized.tidemark["\($0) peak"] }
        add("peak memory", peaks.max(), "MB", goal: limit / 1e6, scale: 1e-6)
        add(
            "peak memory, RocksDB", PastMemoryStage.allCases.compactMap { sized.rocks["\($0) peak"] }.max(), "MB",
            goal: nil, scale: 1e-6)
        add("open and answer once", sized.opened["first answer"], "ms", goal: 50, scale: 1e3)
        add("open, the whole index", sized.opened["whole index"], "ms", goal: 2_000, scale: 1e3)
        add("open after a kill in a load", sized.reopened["whole index"], "ms", goal: 2_000, scale: 1e3)
        add("read from the disk, p50", sized.tidemark["read p50"], "µs", goal: 35, scale: 1e6)
        add("read from the disk, p99", sized.tidemark["read p99"], "µs", goal: nil, scale: 1e6)
        add("read during a load, p99", sized.tidemark["read during a load p99"], "µs", goal: 200, scale: 1e6)
        // At least a million entities a second: at most 1,000 ns each.
        if let stored = sized.tidemark["stored"] {
            add("verify", sized.tidemark["verify"], "ns/entity", goal: 1_000, scale: 1e9 / stored)
            add("export", sized.tidemark["export"], "ns/entity", goal: 1_000, scale: 1e9 / stored)
        }
    }

    /// Adds the cost of each tenth of the load, for the chart of loads. These figures have no goals.
    private static func addCourse(_ sized: Sized, to report: inout Report) {
        for tenth in 1...10 {
            for (store, figures) in [("Tidemark", sized.tidemark), ("RocksDB", sized.rocks)] {
                guard let value = figures["load tenth \(tenth)"] else { continue }
                report.add(
                    name: "\(store), tenth \(tenth) of the load\(sized.name)", value: value, unit: "ns/event",
                    goal: nil,
                    hash: 0,
                    place: Figure.Place(
                        curve: LoadCourse.curve(of: store, entityCount: sized.count), parameter: "tenth",
                        size: Double(tenth)))
            }
        }
    }

    /// Adds the figures of the block store alone, or of the engine over a file that keeps its rows. These figures have
    /// no goals.
    private static func addBlocks(
        _ sized: Sized, _ figures: [String: Double], _ subject: String, to report: inout Report
    ) {
        func nanoseconds(_ stage: PastMemoryStage, _ figures: [String: Double]) -> Double? {
            guard let seconds = figures["\(stage) seconds"], let lines = figures["\(stage) lines"] else { return nil }
            return seconds * 1e9 / lines
        }
        for stage in PastMemoryStage.allCases {
            guard let value = nanoseconds(stage, figures) else { continue }
            let name = "\(subject), \(stage)\(sized.name)"
            if let reference = nanoseconds(stage, sized.rocks) {
                report.add(
                    name: name, values: [value], unit: "ns/event", count: stage.lineCount(of: sized.count),
                    referenceName: "RocksDB", referenceValues: [reference], goal: nil, hash: 0)
            } else {
                report.add(name: name, value: value, unit: "ns/event", goal: nil, hash: 0)
            }
        }
        let others: [(name: String, figure: String, unit: String, scale: Double)] = [
            ("written an update, steady", "steady written", "bytes", 1), ("file / raw, load", "load file", "", 1),
            ("file / raw, steady", "steady file", "", 1), ("peak memory", "steady peak", "MB", 1e-6),
            ("read, p50", "read p50", "µs", 1e6), ("read, p99", "read p99", "µs", 1e6),
        ]
        for other in others {
            guard let value = figures[other.figure] else { continue }
            report.add(
                name: "\(subject), \(other.name)\(sized.name)", value: value * other.scale, unit: other.unit,
                goal: nil, hash: 0)
        }
    }

    // MARK: The processes

    /// Runs a worker process, and returns the figures that it prints.
    ///
    /// - Throws: ``BenchmarkError`` if the process fails.
    private static func measure(
        _ role: PastMemoryWorker.Role, _ kind: PastMemoryWorker.Kind = .tidemark, entities: Int,
        in folder: ScratchFolder? = nil
    ) throws -> [String: Double] {
        let folder = try folder ?? ScratchFolder()
        let figures = PastMemoryFigures()
        let worker = try start(role, kind, entities: entities, in: folder)
        worker.read { line, _ in figures.add(line) }
        guard worker.end() == 0 else { throw BenchmarkError("\(kind.rawValue) could not be measured") }
        return figures.values()
    }

    /// Kills a process in the middle of its load.
    private static func killLoad(of count: Int, in folder: ScratchFolder) throws {
        let figures = PastMemoryFigures()
        let worker = try start(.fill, .tidemark, entities: count, in: folder)
        let half = Double(count) * 500 / 2
        let reached = DispatchSemaphore(value: 0)
        worker.read { line, _ in
            let before = figures.values()["fed"] ?? 0
            figures.add(line)
            if before < half, figures.values()["fed"] ?? 0 >= half { reached.signal() }
        }
        reached.wait()
        worker.kill()
    }

    /// Starts a worker process.
    private static func start(
        _ role: PastMemoryWorker.Role, _ kind: PastMemoryWorker.Kind, entities: Int, in folder: ScratchFolder
    ) throws -> PipedProcess {
        try PipedProcess(
            CommandLine.arguments[0],
            [
                PastMemoryWorker.name, role.rawValue, "--store", kind.rawValue, "--folder", folder.url.path,
                "--entities", "\(entities)",
            ])
    }

    /// Formats a number of entities, in millions where it is a multiple of a million.
    private static func text(_ count: Int) -> String {
        count % 1_000_000 == 0 ? "\(count / 1_000_000) M" : "\(count)"
    }
}
