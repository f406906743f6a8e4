import ArgumentParser
import TidemarkModel
import TidemarkSimulation
import TidemarkWire

/// `tidemark simulate`: runs schedules of a simulated world, and says which hold.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a cache in a simulated world, once for each seed.",
        discussion: """
            EXAMPLE
              tidemark simulate --seed 17 --count 100
            """)

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many seeds, one after another.")
    var count = 1

    @Option(help: "How far one seed is from the next.")
    var stride = 1

    @Option(help: "Inputs of a schedule.")
    var inputs = SimulationPlan.inputCount

    @Option(help: ArgumentHelp("Only these inputs, by number, with commas between.", valueName: "numbers"))
    var keep: String?

    @Option(help: ArgumentHelp("Where the simulated disks lie.", valueName: "folder"))
    var folder: String?

    @Flag(help: "Tell what happens, input by input, on standard error.")
    var trace = false

    func run() async throws {
        let output = Output.standard()
        var failureCount = 0
        for place in 0..<count {
            let seed = seed + UInt64(place * stride)
            try output.writeLine("{\"begin\":\(seed)}")
            try output.flush()
            var plan = SimulationPlan(seed: seed, inputCount: inputs)
            if let keep { plan = plan.keeping(keep.split(separator: ",").compactMap { Int($0) }) }
            let tell: (@Sendable (String) -> Void)? = trace ? { @Sendable in SimulateCommand.tell($0) } : nil
            let outcome = try await SimulationRun.outcome(of: plan, folder: folder, trace: tell)
            var line = JSONLine()
            line.object { line in
                line.member("seed", Int64(bitPattern: seed))
                switch outcome {
                case .success(let digest): line.member("digest", ByteString(digest.description))
                case .failure(let failure):
                    failureCount += 1
                    line.member("failure", ByteString(failure.description))
                }
            }
            try output.writeLine(line.bytes)
            try output.flush()
        }
        guard failureCount == 0 else {
            throw Failure(
                .badData, "law_broken", HumanText.count(failureCount, "schedule") + " failed",
                advice: "report it with the seed")
        }
    }

    private static func tell(_ line: String) {
        let errors = Output.errors()
        do throws(Failure) {
            try errors.writeLine(Printable.text(line))
            try errors.flush()
        } catch {
            // Nobody reads along any more; the outcome is on standard output.
            return
        }
    }
}
