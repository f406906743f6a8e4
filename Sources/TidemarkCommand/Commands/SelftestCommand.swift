import ArgumentParser
import Foundation
import TidemarkModel
import TidemarkSimulation
import TidemarkJSON

/// `tidemark selftest`: runs simulations and crash points on this machine and this disk.
struct SelftestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Test this build on this machine and disk, and print a certificate.",
        discussion: """
            Runs a cache in simulated worlds (a source that drops, repeats, reorders and lies, an upstream that fails, \
            a disk that fails, fills up and loses what was not synced, a process that ends anywhere), and ends a \
            process at changes of its disk. All files are written to a temporary folder below --folder and removed. A \
            schedule that breaks a law is shortened, and the command that repeats it is printed. Ends with 0 when \
            every law held, with 65 when one did not.

            EXAMPLE
              tidemark selftest --budget 60s
              tidemark selftest --budget 10m --seed 1 --folder /var/lib/myservice --json
            """)

    @Option(
        help: ArgumentHelp(
            "About how long it may take: a number with s, m or h. Steps that have begun are finished.",
            valueName: "time"))
    var budget: TimeBudget = TimeBudget(seconds: 60)

    @Option(help: "The first seed; by default a random one, which is printed.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Run this number of schedules instead of a time.", valueName: "number"))
    var schedules: Int?

    @Option(help: ArgumentHelp("The folder of the simulated disks. Default: a temporary one.", valueName: "folder"))
    var folder: String?

    @OptionGroup var format: FormatOptions

    func validate() throws {
        guard schedules ?? 1 > 0 else { throw ValidationError("--schedules takes a number above 0") }
    }

    func run() async throws {
        let folder = folder ?? FileManager.default.temporaryDirectory.path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw Failure(
                .cannotCreate, "cannot_create", "nothing can be written there", place: folder,
                outcome: "nothing was tested", advice: "choose a folder that exists and that you may write to")
        }
        let first = seed ?? UInt64.random(in: 1...999_999_999)
        let output = Output.standard()
        let workers = SimulationWorkers(firstSeed: first, folder: folder, progress: SelftestProgress())
        if !format.isJSON {
            try output.writeLine("testing with seeds from \(first) on, in \(folder)")
            try output.flush()
        }
        let certificate = try await workers.certificate(budget: budget, scheduleCountMax: schedules)
        if format.isJSON {
            try output.writeLine(certificate.json)
        } else {
            for line in certificate.lines(output.style) { try output.writeLine(line) }
        }
        try output.flush()
        guard certificate.failures.isEmpty else {
            throw Failure(
                .badData, "law_broken", HumanText.count(certificate.failures.count, "schedule") + " broke a law",
                outcome: "none of your files were changed",
                advice: "report the command above, and do not rely on this build")
        }
    }
}
