import Foundation
import Tidemark
import TidemarkSimulation

/// Runs schedules in child processes, so that a trap ends only its own process, and all cores are used.
struct SimulationWorkers: Sendable {
    /// How many schedules a process runs before the time is checked: 20.
    private static let batchCount = 20
    /// How many crash points a process tries: 10.
    private static let pointBatchCount = 10
    /// How many inputs a schedule with crash points has: 40.
    private static let pointInputCount = 40
    /// The maximum number of failures to shrink: 3; further ones are reported as they are.
    private static let shrunkCountMax = 3

    let firstSeed: UInt64
    let folder: String
    let progress: SelftestProgress

    private enum Batch: Sendable {
        /// Schedules with consecutive seeds.
        case schedules(first: UInt64, count: Int)
        case points(seed: UInt64, first: Int, count: Int)
    }

    fileprivate struct Answer: Sendable {
        var scheduleCount = 0
        var crashPointCount = 0
        var digest: UInt64 = 0
        var failures: [Certificate.BrokenLaw] = []
        /// True if a crash point was past the last change of the disk.
        var isPastTheEnd = false
    }

    /// Runs schedules until the budget expires.
    ///
    /// - Parameter scheduleCountMax: Runs this many schedules instead, with crash points in every fifth batch.
    func certificate(budget: TimeBudget, scheduleCountMax: Int?) async throws -> Certificate {
        let clock = ContinuousClock()
        let start = clock.now
        var certificate = Certificate(firstSeed: firstSeed, folder: folder)
        var next: UInt64 = firstSeed
        var pointSeed = firstSeed
        var point = 1
        var turn = 0
        let deadline = start + .seconds(budget.seconds)
        func batch() -> Batch? {
            turn += 1
            if let scheduleCountMax {
                let given = Int(next &- firstSeed)
                guard given < scheduleCountMax else { return nil }
                if turn % 5 != 0 {
                    let count = min(Self.batchCount, scheduleCountMax - given)
                    defer { next &+= UInt64(count) }
                    return .schedules(first: next, count: count)
                }
            } else {
                guard clock.now < deadline else { return nil }
                if turn % 3 != 0 {
                    defer { next &+= UInt64(Self.batchCount) }
                    return .schedules(first: next, count: Self.batchCount)
                }
            }
            defer { point += Self.pointBatchCount }
            return .points(seed: pointSeed, first: point, count: Self.pointBatchCount)
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<max(1, min(ProcessInfo.processInfo.activeProcessorCount, 8)) {
                if let batch = batch() { group.addTask { try await answer(batch) } }
            }
            while let answer = try await group.next() {
                certificate.scheduleCount += answer.scheduleCount
                certificate.crashPointCount += answer.crashPointCount
                certificate.digest &+= answer.digest
                certificate.failures += answer.failures
                if answer.isPastTheEnd, point > 1 {
                    pointSeed &+= 1
                    point = 1
                }
                progress.show(
                    "\(HumanText.count(certificate.scheduleCount, "schedule")), "
                        + "\(HumanText.count(certificate.crashPointCount, "crash point")), "
                        + "\(HumanText.count(certificate.failures.count, "failure")), \((clock.now - start).components.seconds) s"
                )
                if let batch = batch() { group.addTask { try await self.answer(batch) } }
            }
        }
        for index in certificate.failures.indices.prefix(Self.shrunkCountMax) {
            certificate.failures[index] = try await shrunk(certificate.failures[index])
        }
        progress.clear()
        certificate.seconds = Double((clock.now - start).components.seconds)
        return certificate
    }

    // MARK: One process

    private func answer(_ batch: Batch) async throws -> Answer {
        switch batch {
        case .schedules(let first, let count):
            return try await run(["--seed", "\(first)", "--count", "\(count)"], seed: first, count: count)
        case .points(let seed, let first, let count):
            let arguments = [
                "--seed", "\(seed)", "--points", "\(first)", "--count", "\(count)", "--inputs",
                "\(Self.pointInputCount)",
            ]
            return try await run(arguments, seed: seed, count: count)
        }
    }

    private func run(_ arguments: [String], seed: UInt64, count: Int) async throws -> Answer {
        let isPoints = arguments.contains("--points")
        let result = try await SimulationProcess.run(
            ["simulate", "--folder", folder] + arguments, deadline: 60 + 20 * count)
        var answer = Answer()
        var begun: Int64?
        for line in result.output.split(separator: 0x0A) {
            let report = try JSONValue(parsing: Array(line))
            if let number = report["begin"]?.int64 {
                begun = number
                continue
            }
            begun = nil
            answer.add(report, isPoints: isPoints)
        }
        // A schedule that began without a result trapped the process.
        if let begun {
            let (seed, point) = isPoints ? (seed, Int(begun)) : (UInt64(bitPattern: begun), nil)
            answer.failures.append(Self.failure(seed, point, "the process trapped: \(Self.trap(result.errors))"))
        }
        return answer
    }

    private static func trap(_ errors: Data) -> String {
        let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n")
        return lines.last { $0.contains("Fatal error") }.map(String.init) ?? "without a message"
    }

    fileprivate static func failure(_ seed: UInt64, _ point: Int?, _ message: String) -> Certificate.BrokenLaw {
        let points = point.map { " --points \($0) --inputs \(pointInputCount)" } ?? ""
        return Certificate.BrokenLaw(
            seed: seed, point: point, message: message, command: "tidemark simulate --seed \(seed)\(points)")
    }

    // MARK: Shrinking a failure

    /// Finds the same failure with fewer inputs.
    private func shrunk(_ failure: Certificate.BrokenLaw) async throws -> Certificate.BrokenLaw {
        let inputCount = failure.point == nil ? SimulationPlan.inputCount : Self.pointInputCount
        progress.show("shortening seed \(failure.seed)")
        func arguments(_ kept: [Int]) -> [String] {
            let points = failure.point.map { ["--points", "\($0)", "--inputs", "\(inputCount)"] } ?? []
            return ["--seed", "\(failure.seed)"] + points + ["--keep", kept.map(String.init).joined(separator: ",")]
        }
        let kept = try await Shrinker().shrunk(Array(0..<inputCount)) { kept in
            guard !kept.isEmpty else { return false }
            return try await !run(arguments(kept), seed: failure.seed, count: 1).failures.isEmpty
        }
        var smaller = failure
        smaller.command = "tidemark simulate " + arguments(kept).joined(separator: " ") + " --trace"
        return smaller
    }
}

extension SimulationWorkers.Answer {
    fileprivate mutating func add(_ report: JSONValue, isPoints: Bool) {
        let point = report["point"]?.int64.map { Int($0) }
        if report["reached"] == false {
            isPastTheEnd = true
        } else if isPoints {
            crashPointCount += 1
        } else {
            scheduleCount += 1
        }
        if let found = report["digest"]?.string { digest &+= UInt64(found, radix: 16) ?? 0 }
        guard let message = report["failure"]?.string, let seed = report["seed"]?.int64 else { return }
        failures.append(SimulationWorkers.failure(UInt64(bitPattern: seed), point, message))
    }
}
