import Foundation
import TidemarkTesting

/// Runs stages on one store, and prints the figures of each stage.
struct PastMemoryRun {
    private(set) var store: any PastMemoryStore
    /// Opens the store again after its files were measured; nil if they are not measured.
    private let reopen: (() async throws -> any PastMemoryStore)?
    private let entityCount: Int
    private let input: String
    private var lines: PastMemoryLines
    /// The total size of the loaded resources in bytes, with which the files are compared.
    private var rawByteCount = 0

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - input: The path of the file into which the lines of each stage are written.
    ///   - measuresFiles: Whether to measure the store's size. For that it is closed and opened again.
    ///   - open: Opens the store.
    init(
        entityCount: Int, input: String, measuresFiles: Bool,
        open: @escaping () async throws -> any PastMemoryStore
    ) async throws {
        store = try await open()
        reopen = measuresFiles ? open : nil
        self.entityCount = entityCount
        self.input = input
        lines = PastMemoryLines(entityCount: entityCount)
    }

    /// Runs stages in order.
    mutating func run(_ stages: [PastMemoryStage]) async throws {
        for stage in stages { try await run(stage) }
    }

    private mutating func run(_ stage: PastMemoryStage) async throws {
        try await store.prepare(stage, entityCount: entityCount)
        let count = try lines.write(stage, to: input)
        if stage == .load { rawByteCount = lines.resourceByteCount }
        try await store.settle()
        let writtenBefore = ProcessUse.writtenByteCount()
        ProcessUse.forgetPeak()
        var dropped: Int64 = 0
        var course = Course(inputByteCount: try Course.byteCount(of: input))
        let folder = store.folder
        let clock = ContinuousClock()
        let start = clock.now
        // The files leave the page cache ten times in the stage: so often that no page stays for long, and so seldom
        // that listing them costs nothing.
        let step = Int64(count) * 500 / 10
        try await store.feed(input) { fed in
            if stage == .load { course.note(fed, (clock.now - start).inSeconds) }
            guard stage == .cold, fed >= dropped + step else { return }
            ProcessUse.dropCache(of: folder)
            dropped = fed
        }
        if stage == .steady { try await store.settle() }
        let seconds = (clock.now - start).inSeconds
        if stage == .load { course.write(count, seconds) }
        PastMemoryFigures.write("\(stage) seconds", seconds)
        PastMemoryFigures.write("\(stage) lines", count)
        if let writtenBefore, let written = ProcessUse.writtenByteCount() {
            PastMemoryFigures.write("\(stage) written", (written - writtenBefore) / Double(count))
        }
        if let peak = ProcessUse.peakByteCount() { PastMemoryFigures.write("\(stage) peak", peak) }
        if stage == .load || stage == .steady, let reopen {
            // Closing the store first empties its log, which does not count as space for entities.
            try await store.close()
            PastMemoryFigures.write("\(stage) file", ProcessUse.byteCount(of: folder) / Double(rawByteCount))
            store = try await reopen()
        }
        try await store.cleanUp(after: stage)
    }

    /// The time that each tenth of a load took.
    private struct Course {
        let inputByteCount: Double
        /// The seconds at the end of each tenth.
        private var ends: [Double] = []
        /// The number of fed bytes and the seconds at the last note.
        private var before = (fed: 0.0, seconds: 0.0)

        init(inputByteCount: Double) { self.inputByteCount = inputByteCount }

        static func byteCount(of path: String) throws -> Double {
            Double(try URL(fileURLWithPath: path).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }

        /// Notes progress. The end of a tenth that lies between two notes is interpolated.
        ///
        /// - Parameter fed: The number of bytes so far.
        mutating func note(_ fed: Int64, _ seconds: Double) {
            let fed = Double(fed)
            guard fed > before.fed else { return }
            while ends.count < 9, fed >= inputByteCount * Double(ends.count + 1) / 10 {
                let share = (inputByteCount * Double(ends.count + 1) / 10 - before.fed) / (fed - before.fed)
                ends.append(before.seconds + share * (seconds - before.seconds))
            }
            before = (fed, seconds)
        }

        /// Prints the nanoseconds per event in each tenth. Work after the last line counts in the last tenth.
        func write(_ count: Int, _ seconds: Double) {
            guard ends.count == 9 else { return }
            for (tenth, (start, end)) in zip([0] + ends, ends + [seconds]).enumerated() {
                PastMemoryFigures.write("load tenth \(tenth + 1)", (end - start) * 1e10 / Double(count))
            }
        }
    }

    /// Loads a tenth more entities, while a task reads stored ones with pauses of half a millisecond.
    ///
    /// - Parameter store: The store of the stages.
    mutating func loadWhileReading(_ store: PastMemoryCache) async throws {
        let (known, seed) = (entityCount, UInt64(20_260_304))
        let count = max(1, entityCount / 10)
        var more = PastMemoryLines(entityCount: count, firstEntity: entityCount, after: lines.sequence)
        _ = try more.write(.load, to: input)
        let progress = PastMemoryFigures()
        async let latencies = Self.latencies(of: store, pause: .microseconds(500), seed: seed, known: known) {
            progress.values()["done"] != nil
        }
        try await store.feed(input) { _ in }
        progress.add(Array("done\t1".utf8)[...])
        let found = try await latencies
        PastMemoryFigures.write("read during a load p99", Self.share(0.99, of: found))
    }

    /// Reads random entities with a pause after each until `isDone` returns true, and returns the seconds of each read.
    private static func latencies(
        of store: PastMemoryCache, pause: Duration, seed: UInt64, known: Int,
        until isDone: @Sendable () -> Bool
    ) async throws -> [Double] {
        var random = SeededGenerator(seed: seed)
        var seconds: [Double] = []
        let clock = ContinuousClock()
        while !isDone() {
            let entity = random.below(known)
            let start = clock.now
            _ = try await store.read(entity)
            seconds.append((clock.now - start).inSeconds)
            try await clock.sleep(for: pause)
        }
        return seconds
    }

    /// Reads entities one after the other, and returns the seconds of each read.
    ///
    /// - Throws: ``BenchmarkError`` if an entity is not stored, and errors of the store.
    static func latencies(
        of store: any PastMemoryStore, count: Int, entity: () -> Int
    ) async throws -> [Double] {
        let clock = ContinuousClock()
        var seconds: [Double] = []
        for _ in 0..<count {
            let entity = entity()
            let start = clock.now
            guard try await store.read(entity) > 0 else { throw BenchmarkError("entity \(entity) is not stored") }
            seconds.append((clock.now - start).inSeconds)
        }
        return seconds
    }

    /// Returns the value that this share of the values does not exceed; 0 when there are none.
    static func share(_ share: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.last else { return 0 }
        let index = Int(Double(sorted.count) * share)
        return index < sorted.count ? sorted[index] : last
    }
}
