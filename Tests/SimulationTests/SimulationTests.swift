import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkSimulation
import TidemarkTestKit
import TidemarkTesting

/// The simulated world, through the command that users test with. Laws: L1 to L12.
///
/// `TIDEMARK_SCALE=schedules=2000,seed=7` sets their number and the first seed. A debug build runs few: `.ci/run` and
/// `make simulate` run thousands in a release build, which is some ten times as fast.
@Suite(.serialized, .pooled(minutes: 600), .tags(.process)) struct SimulationTests {
    private static let scheduleCount = TestScale.schedules.number ?? 100
    private static let seed = "\(TestScale.seed.number ?? 1)"

    @Test func `in every simulated world the cache ends with the server's state`() async throws {
        let result = try await CommandRunner().run(
            ["selftest", "--schedules", "\(Self.scheduleCount)", "--seed", Self.seed, "--json"],
            deadline: .seconds(120 + 4 * Self.scheduleCount))
        let certificate = try ReferenceJSONParser.parse(result.output)
        #expect(result.status == 0, "\(String(decoding: result.output, as: UTF8.self))")
        #expect(certificate.member("ok") == .bool(true))
        #expect(Self.number("schedules", certificate) == Self.scheduleCount)
        #expect(Self.number("crash_points", certificate) ?? 0 > 0)
    }

    /// Stored results of views that outlived what they were made of: entities that only the file had were removed, or
    /// the definitions could not be read at the opening, before the process ended.
    @Test(arguments: [392, 408, 660, 825])
    func `a schedule that once broke a law ends well`(seed: Int) async throws {
        let result = try await CommandRunner().run(["simulate", "--seed", "\(seed)"])
        #expect(result.status == 0, "\(String(decoding: result.output, as: UTF8.self))")
    }

    @Test func `a seed is the same in every process`() async throws {
        let runner = try CommandRunner()
        for seed in ["11", "12", "13"] {
            let first = try await runner.run(["simulate", "--seed", seed])
            let second = try await runner.run(["simulate", "--seed", seed])
            #expect(first.status == 0)
            #expect(first.output == second.output)
        }
    }

    @Test func `another folder changes no outcome, and a shorter plan is a prefix of a longer one`() async throws {
        let folder = try TemporaryFolder()
        let plan = SimulationPlan(seed: 21, inputCount: 60)
        let first = try await SimulationRun.outcome(of: plan).result
        let second = try await SimulationRun.outcome(of: plan, folder: folder.path).result
        #expect(first == second)
        #expect(plan.inputs == Array(SimulationPlan(seed: 21).inputs.prefix(60)))
    }

    private static func number(_ name: String, _ certificate: ReferenceJSON) -> Int? {
        certificate.member(name)?.integerText.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
