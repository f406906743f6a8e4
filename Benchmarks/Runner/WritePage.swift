import ArgumentParser
import Foundation

/// The command that writes results into `benchmarks.md`, and the charts beside it.
struct WritePage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Write results as a page with tables and a chart.",
        discussion: """
            Replaces what stands between the marks of benchmarks.md in a folder, and writes benchmarks.svg beside it, and
            load.svg when the results have the course of a load.

            EXAMPLE
              tidemark-bench page results.json --peers peers.json --into docs
            """)

    @Argument(help: "Results of a run.")
    var results: String

    @Option(help: ArgumentHelp("Results of the peers.", valueName: "file"))
    var peers: String?

    @Option(help: ArgumentHelp("The folder of benchmarks.md.", valueName: "folder"))
    var into = "docs"

    func run() throws {
        let results = try Results.read(results)
        let peers = try peers.map { try PeerResults.read($0) }
        let path = "\(into)/benchmarks.md"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("there is no file \(path)")
        }
        var page = try ResultsPage(String(decoding: data, as: UTF8.self), path: path)
        try page.replace("results", with: ResultsPage.tables(of: results))
        if let peers { try page.replace("peers", with: ResultsPage.table(of: peers)) }
        try Data(page.text.utf8).write(to: URL(fileURLWithPath: path))
        try Data(Chart(results).svg.utf8).write(to: URL(fileURLWithPath: "\(into)/benchmarks.svg"))
        if let course = LoadCourse(results) {
            try Data(course.svg.utf8).write(to: URL(fileURLWithPath: "\(into)/load.svg"))
        }
    }
}
