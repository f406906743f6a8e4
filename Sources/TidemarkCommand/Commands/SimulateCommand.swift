import ArgumentParser
import TidemarkModel
import TidemarkSimulation
import TidemarkJSON

/// `tidemark simulate`: runs schedules of a simulated world, and reports those that broke a law.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a cache in a simulated world, once for each seed.",
        discussion: """
            A real cache over a real database in a temporary folder; the seed decides time, the order of tasks, the \
            source, the upstream and the disk. After every input the laws of docs/architecture.md are checked; at the \
            end the cache must equal the server. Prints one JSON line a schedule: its digest, the same on every \
            machine, or the law that broke. `selftest` runs many such schedules.

            With --points the seed's quiet schedule is run, and its process ends at a change of the disk: at the first number, then \
            at every one after it.

            EXAMPLE
              tidemark simulate --seed 17 --trace
              tidemark simulate --seed 1 --count 100
            """)

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of schedules, run one after another.")
    var count = 1

    @Option(help: "The distance from one seed, or point, to the next.")
    var stride = 1

    @Option(help: "The number of inputs of a schedule.")
    var inputs = SimulationPlan.inputCount

    @Option(help: ArgumentHelp("Only these inputs, by number, with commas between.", valueName: "numbers"))
    var keep: String?

    @Option(help: ArgumentHelp("End the first process at this change of its disk.", valueName: "number"))
    var points: Int?

    @Option(help: ArgumentHelp("The folder of the simulated disks. Default: a temporary one.", valueName: "folder"))
    var folder: String?

    @Flag(help: "Print what happens, input by input, on standard error.")
    var trace = false

    @Flag(help: "End at the first schedule that broke a law.")
    var stop = false

    func validate() throws {
        guard count > 0, stride > 0, inputs > 0, points ?? 1 > 0 else {
            throw ValidationError("--count, --stride, --inputs and --points take numbers above 0")
        }
        guard let keep, keptInputs == nil else { return }
        throw ValidationError("--keep takes numbers with commas between, not \(keep)")
    }

    private var keptInputs: [Int]? {
        guard let keep else { return nil }
        let numbers = keep.split(separator: ",").map { Int($0) }
        return numbers.contains(nil) ? nil : numbers.compactMap { $0 }
    }

    func run() async throws {
        let output = Output.standard()
        var failureCount = 0
        for place in 0..<count {
            let number = place * stride
            let seed = points == nil ? seed &+ UInt64(number) : seed
            let point = points.map { CrashPoint(number: $0 + number, seed: seed) }
            // Printed before the run, so that the caller knows the schedule even if the process traps during it.
            try output.writeLine("{\"begin\":\(point?.number ?? Int(truncatingIfNeeded: seed))}")
            try output.flush()
            let outcome = try await outcome(seed, point)
            try output.writeLine(line(outcome, seed, point))
            try output.flush()
            if case .failure = outcome.result {
                failureCount += 1
                if stop { break }
            }
        }
        guard failureCount == 0 else {
            throw Failure(
                .badData, "law_broken", HumanText.count(failureCount, "schedule") + " broke a law",
                outcome: "none of your files were changed", advice: "report it, with the seed and the version")
        }
    }

    private func outcome(_ seed: UInt64, _ point: CrashPoint?) async throws -> SimulationRun.Outcome {
        var plan = SimulationPlan(seed: seed, inputCount: inputs, isQuiet: point != nil)
        if let keptInputs { plan = plan.keeping(keptInputs) }
        let tell: (@Sendable (String) -> Void)? = trace ? { @Sendable in SimulateCommand.tell($0) } : nil
        return try await SimulationRun.outcome(of: plan, crashPoint: point, folder: folder, trace: tell)
    }

    private func line(_ outcome: SimulationRun.Outcome, _ seed: UInt64, _ point: CrashPoint?) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("seed", Int64(bitPattern: seed))
            if let point {
                line.member("point", Int64(point.number))
                line.member("reached", outcome.hasCrashed)
            }
            switch outcome.result {
            case .success(let digest): line.member("digest", ByteString(digest.description))
            case .failure(let failure): line.member("failure", ByteString(failure.description))
            }
        }
        return line.bytes
    }

    private static func tell(_ line: String) {
        let errors = Output.errors()
        do throws(Failure) {
            try errors.writeLine(Printable.text(line))
            try errors.flush()
        } catch {
            // Standard error is closed. The outcome still goes to standard output.
            return
        }
    }
}
