import Foundation
import TidemarkModel
import TidemarkSQLite
import TidemarkSimulation
import TidemarkJSON

/// The results of a self-test.
struct Certificate: Sendable {
    /// A schedule that broke a law.
    struct BrokenLaw: Sendable {
        var seed: UInt64
        /// The crash point; nil if there was none.
        var point: Int?
        var message: String
        /// The command that reproduces the failure.
        var command: String
    }

    var firstSeed: UInt64
    var scheduleCount = 0
    var crashPointCount = 0
    /// The sum of the digests of all schedules, which does not depend on their order.
    var digest: UInt64 = 0
    var failures: [BrokenLaw] = []
    var seconds: Double = 0
    var folder: String

    private var platform: String { ProcessInfo.processInfo.operatingSystemVersionString }

    func lines(_ style: Style) -> [String] {
        var lines: [String] = []
        for failure in failures {
            lines.append(style.paint(Printable.text("seed \(failure.seed): \(failure.message)"), .red))
            lines.append("  again: \(failure.command)")
        }
        let verdict = failures.isEmpty ? style.paint("passed", .green) : style.paint("failed", .red)
        lines.append(
            "\(verdict): \(HumanText.count(scheduleCount, "schedule")) of \(SimulationPlan.inputCount) inputs from seed "
                + "\(firstSeed) on, \(HumanText.count(crashPointCount, "crash point")), in \(Int(seconds)) s")
        lines.append(
            "  laws L1 to L12 of docs/architecture.md held after every input"
                + (failures.isEmpty ? "" : " except above"))
        lines.append(
            "  tidemark \(RootCommand.version), SQLite \(SQLiteReader.libraryVersion), \(Printable.text(platform))")
        lines.append("  disk: \(Printable.text(folder)); digest \(digestText)")
        return lines
    }

    private var digestText: String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("ok", failures.isEmpty)
            line.member("version", ByteString(RootCommand.version))
            line.member("sqlite", ByteString(SQLiteReader.libraryVersion))
            line.member("platform", ByteString(platform))
            line.member("folder", ByteString(folder))
            line.member("seed", Int64(bitPattern: firstSeed))
            line.member("schedules", Int64(scheduleCount))
            line.member("inputs", Int64(scheduleCount * SimulationPlan.inputCount))
            line.member("crash_points", Int64(crashPointCount))
            line.member("digest", ByteString(digestText))
            line.member("seconds", Int64(seconds))
            line.name("failures")
            line.array { line in
                for failure in failures {
                    line.object { line in
                        line.member("seed", Int64(bitPattern: failure.seed))
                        if let point = failure.point { line.member("point", Int64(point)) }
                        line.member("message", ByteString(failure.message))
                        line.member("command", ByteString(failure.command))
                    }
                }
            }
        }
        return line.bytes
    }
}
