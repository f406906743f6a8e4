import Foundation

/// `tidemark-bench [--smoke] [--json] [--runs n] [--suite parse|memory|durable]`: every figure beside its reference.
@main
enum Runner {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        var isSmoke = false
        var isJSON = false
        var runs = 5
        var suite: String?
        while let argument = arguments.popFirst() {
            switch argument {
            case "--smoke": isSmoke = true
            case "--json": isJSON = true
            case "--runs": runs = arguments.popFirst().flatMap { Int($0) } ?? runs
            case "--suite": suite = arguments.popFirst()
            default:
                print("usage: tidemark-bench [--smoke] [--json] [--runs n] [--suite parse|memory|durable]")
                exit(64)
            }
        }
        let workload =
            isSmoke
            ? Workload(entityCount: 2_000, eventsPerEntity: 5) : Workload(entityCount: 200_000, eventsPerEntity: 5)
        var report = Report(isJSON: isJSON)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        report.header(
            "\(workload.lineCount) events over \(workload.entityCount) entities, \(workload.byteCount) bytes; "
                + "\(cores) cores; \(runs) runs, medians")
        if suite == nil || suite == "parse" { try await MemorySuite.parse(workload, runs: runs, into: &report) }
        if suite == nil || suite == "memory" { try await MemorySuite.run(workload, runs: runs, into: &report) }
        if suite == nil || suite == "durable" { try await DurableSuite.run(workload, runs: runs, into: &report) }
        if !isJSON, !report.missedGoals.isEmpty { print("missed: \(report.missedGoals.joined(separator: ", "))") }
    }
}
