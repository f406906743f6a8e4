import ArgumentParser

/// The command that compares results with earlier ones.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare results with earlier ones, by ratio.",
        discussion: """
            Without a second file the suites of the first are run again, in its size. Ends with 1 when a figure became worse
            than --slack lets it.

            EXAMPLE
              tidemark-bench compare before.json after.json
              tidemark-bench compare before.json --slack 1.1
            """)

    @Argument(help: "The earlier results.")
    var base: String

    @Argument(help: "The later ones. Default: run them now.")
    var results: String?

    @Option(help: "How many times as much a figure may be before it counts as worse.")
    var slack = 1.15

    @Option(help: "Runs that count, when they are run now.")
    var runs = 5

    func run() async throws {
        let before = try Results.read(base)
        let after: Results
        if let results { after = try Results.read(results) } else { after = try await measured(as: before) }
        guard before.size == after.size else {
            throw BenchmarkError("one is of \(before.size.rawValue) size and the other of \(after.size.rawValue)")
        }
        let comparison = Comparison(before, after)
        print("before \(before.commit ?? "-") of \(before.date), after \(after.commit ?? "-") of \(after.date)")
        if before.machine != after.machine {
            print("they are of different machines: \(before.machine.processor), \(after.machine.processor)")
        }
        var worse: [String] = []
        for row in comparison.rows {
            let verdict = row.change > slack ? "WORSE" : row.change < 1 / slack ? "better" : ""
            if row.change > slack { worse.append(row.id) }
            print(
                FigureText.padded(row.id, 52) + FigureText.padded(FigureText.number(row.before), 10)
                    + FigureText.padded(FigureText.number(row.after), 10)
                    + FigureText.padded("× \(FigureText.number(row.change))", 10) + FigureText.padded(verdict, 8)
                    + row.unit)
        }
        for id in comparison.differing { print("\(id): the results differ, the inputs were not the same") }
        for id in comparison.unmatched { print("\(id): only in one of them") }
        guard worse.isEmpty else { throw ExitCode(1) }
    }

    /// Runs the suites of earlier results again, in the same size.
    private func measured(as base: Results) async throws -> Results {
        var report = Report(size: base.size, isJSON: false)
        let wanted = Set(base.figures.map(\.suite))
        for suite in Suite.allCases where wanted.contains(suite.rawValue) {
            try await suite.run(isSmoke: base.size == .smoke, runs: runs, into: &report)
        }
        return report.results
    }
}
