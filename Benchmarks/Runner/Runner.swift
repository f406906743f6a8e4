import ArgumentParser
import Dispatch
import Foundation

@main
enum Main {
    static func main() {
        // An asynchronous `main` waits on the main thread in a way that tools for counting instructions cannot handle.
        if CommandLine.arguments.dropFirst().first == Count.name {
            return Count.main(Array(CommandLine.arguments.dropFirst(2)))
        }
        Task {
            await Runner.main()
            exit(0)
        }
        dispatchMain()
    }
}

/// The command for the benchmarks of Tidemark, which measure every figure and its reference in one run.
struct Runner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark-bench",
        abstract: "Measure every stage beside its reference, in one run.",
        discussion: """
            A figure is a ratio to a reference that was timed in turns with it, or a size. Both are printed with the goal
            that they should meet.

            EXAMPLE
              tidemark-bench --suite decoding --suite apply
              tidemark-bench --out results.json
              tidemark-bench compare before.json after.json
              tidemark-bench page results.json --peers peers.json --into docs
            """,
        subcommands: [
            RunSuites.self, Compare.self, Guard.self, WritePage.self, PastMemoryWorker.self, ScopeClients.self,
        ],
        defaultSubcommand: RunSuites.self)
}

/// The command that runs suites and prints their figures.
struct RunSuites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run suites and print their figures.")

    @Option(name: .customLong("suite"), help: "Only this one. May be given several times. Default: all.")
    var suites: [Suite] = []

    @Flag(help: "Small inputs: to see that everything works, not how fast.")
    var smoke = false

    @Option(help: "Runs that count; one more goes first.")
    var runs = 5

    @Flag(help: "One JSON object a line.")
    var json = false

    @Option(help: ArgumentHelp("Write the results to this file, for compare and page.", valueName: "file"))
    var out: String?

    @Option(help: ArgumentHelp("Only figures with this in their name, in the suite observers.", valueName: "part"))
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Entities in the suite past-memory. May be given several times. Default: 1000000.", valueName: "n"))
    var entities: [Int] = []

    func validate() throws {
        guard entities.allSatisfy({ (1_000...100_000_000).contains($0) }) else {
            throw ValidationError("--entities: 1,000 to 100,000,000 are possible")
        }
        guard runs > 0 else { throw ValidationError("--runs: at least one run has to count") }
    }

    func run() async throws {
        var report = Report(size: smoke ? .smoke : .full, isJSON: json, only: only)
        for suite in suites.isEmpty ? Suite.allCases : suites {
            try await suite.run(isSmoke: smoke, runs: runs, entityCounts: entities, into: &report)
        }
        if let out { try report.results.write(to: out) }
        guard !json, !report.missedGoals.isEmpty else { return }
        print("missed: \(report.missedGoals.map(\.id).joined(separator: ", "))")
    }
}
