import Foundation

/// `tidemark-bench [--smoke] [--json] [--runs n] [--suite name] [--only figure]`: every figure beside its reference.
/// `--only` takes part of a figure's name, in the suite `observers`.
@main
enum Runner {
    private static let suites = [
        "parse", "memory", "durable", "queries", "layers", "ages", "limits", "observers", "sessions",
    ]

    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        var isSmoke = false
        var isJSON = false
        var runs = 5
        var suite: String?
        var only: String?
        while let argument = arguments.popFirst() {
            switch argument {
            case "--smoke": isSmoke = true
            case "--json": isJSON = true
            case "--runs": runs = arguments.popFirst().flatMap { Int($0) } ?? runs
            case "--suite": suite = arguments.popFirst()
            case "--only": only = arguments.popFirst()
            default:
                print(
                    "usage: tidemark-bench [--smoke] [--json] [--runs n] [--suite \(suites.joined(separator: "|"))]"
                        + " [--only part-of-a-figure's-name, in observers]")
                exit(64)
            }
        }
        var report = Report(isJSON: isJSON, only: only)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        func isWanted(_ name: String) -> Bool { suite == nil || suite == name }
        if ["parse", "memory", "durable"].contains(where: isWanted) {
            let workload =
                isSmoke
                ? Workload(entityCount: 2_000, eventsPerEntity: 5) : Workload(entityCount: 200_000, eventsPerEntity: 5)
            report.header(
                "\(workload.lineCount) events over \(workload.entityCount) entities, \(workload.byteCount) bytes; "
                    + "\(cores) cores; \(runs) runs, medians")
            if isWanted("parse") { try await MemorySuite.parse(workload, runs: runs, into: &report) }
            if isWanted("memory") { try await MemorySuite.run(workload, runs: runs, into: &report) }
            if isWanted("durable") { try await DurableSuite.run(workload, runs: runs, into: &report) }
        }
        if isWanted("queries") {
            report.header("events among queries; \(cores) cores; \(runs) runs, medians")
            try await QueriesSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        }
        if isWanted("layers") {
            report.header("layers over entities; \(cores) cores; \(runs) runs, medians")
            try await LayersSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        }
        if isWanted("ages") {
            report.header("a policy in force; \(cores) cores; \(runs) runs, medians")
            try await AgesSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        }
        if isWanted("limits") {
            report.header("making room, and what a small cache takes; \(cores) cores; \(runs) runs, medians")
            try EvictionSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
            try await FootprintSuite.run(into: &report)
        }
        if isWanted("observers") {
            report.header("10,000 events a second to observers in the process; \(cores) cores")
            try await ObserversSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        }
        if isWanted("sessions") {
            report.header("10,000 events a second through `tidemark run`; \(cores) cores")
            try await SessionsSuite.run(isSmoke: isSmoke, runs: runs, into: &report)
        }
        if !isJSON, !report.missedGoals.isEmpty { print("missed: \(report.missedGoals.joined(separator: ", "))") }
    }
}
