import ArgumentParser
import Foundation

/// The command that checks counted work and ratios against the thresholds of the repository.
struct Guard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fail when counted work or a ratio is above its threshold.",
        discussion: """
            Runs the suites that the thresholds name in smoke size, and counts instructions with callgrind where valgrind is
            installed. What it counted is printed beside what it may be.

            EXAMPLE
              tidemark-bench guard --thresholds Benchmarks/thresholds.json
            """)

    @Option(help: "The file of thresholds.")
    var thresholds = "Benchmarks/thresholds.json"

    @Option(help: "Runs that count.")
    var runs = 5

    func run() async throws {
        let thresholds = try Thresholds.read(thresholds)
        var report = Report(size: .smoke, isJSON: false)
        for suite in Suite.allCases
        where thresholds.figures.keys.contains(where: { $0.hasPrefix("\(suite.rawValue): ") }) {
            try await suite.run(isSmoke: true, runs: runs, into: &report)
        }
        var failures = thresholds.failures(of: report.results)
        if let valgrind = InstructionCount.valgrind {
            for (name, most) in thresholds.instructions.sorted(by: { $0.key < $1.key }) {
                guard let work = CountedWork(rawValue: name) else { throw BenchmarkError("nothing counts \(name)") }
                let count = try await InstructionCount.perUnit(of: work, valgrind)
                print(
                    "instructions \(work.unit), \(name): \(FigureText.number(count)), at most \(FigureText.number(most))"
                )
                if count > most { failures.append("\(name): \(FigureText.number(count)) instructions \(work.unit)") }
            }
        } else {
            print("valgrind is not installed: instructions are not counted")
        }
        for failure in failures { print("ABOVE: \(failure)") }
        guard failures.isEmpty else { throw ExitCode(1) }
        print("nothing is above its threshold")
    }
}

/// Counts the instructions of this program under callgrind. The count is the same for the same build and input,
/// whatever else the machine does.
enum InstructionCount {
    /// The path of valgrind; nil if it is not installed.
    static let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Returns the instructions per unit of work. They are computed from the difference between three rounds and one,
    /// so that the cost of the process itself, and of creating its input, is not counted.
    static func perUnit(of work: CountedWork, _ valgrind: String) async throws -> Double {
        let folder = try ScratchFolder()
        let program = folder.path("tidemark-bench")
        // Newer linkers write debug information that valgrind may not understand.
        try run("/usr/bin/strip", ["-s", "-o", program, CommandLine.arguments[0]])
        async let one = instructions(of: work, rounds: 1, program, valgrind)
        async let three = instructions(of: work, rounds: 3, program, valgrind)
        return try await Double(three - one) / Double(2 * work.unitCount)
    }

    private static func instructions(
        of work: CountedWork, rounds: Int, _ program: String, _ valgrind: String
    ) throws -> Int64 {
        let text = try run(
            valgrind,
            [
                "--tool=callgrind", "--callgrind-out-file=/dev/null", program, Count.name, work.rawValue,
                "--rounds", "\(rounds)",
            ])
        let line = text.split(separator: "\n").last { $0.contains("Collected :") }
        guard let count = line?.split(separator: " ").last.flatMap({ Int64($0) }) else {
            throw BenchmarkError("callgrind gave no count: \(text.suffix(400))")
        }
        return count
    }

    /// Runs a program, and waits until it has ended.
    ///
    /// - Returns: The standard error of the program.
    @discardableResult
    private static func run(_ executable: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        // Without this setting, the hash tables of the standard library have random seeds.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(executable) ended with \(process.terminationStatus): \(text.suffix(400))")
        }
        return text
    }
}
