// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSimulation

/// The example in Sources/TidemarkSimulation/Shrinking/Shrinker.swift.
func exampleTidemarkSimulation1(cache: SyncCache) async throws {
    let plan = SimulationPlan(seed: 17)
    let needed = try await Shrinker().shrunk(plan.inputs.map(\.number)) { numbers in
        let outcome = try await SimulationRun.outcome(of: plan.keeping(numbers))
        if case .failure = outcome.result { return true }
        return false
    }
    print(needed)
}

/// The example in Sources/TidemarkSimulation/SimulationRun.swift.
func exampleTidemarkSimulation2(cache: SyncCache) async throws {
    let outcome = try await SimulationRun.outcome(of: SimulationPlan(seed: 17), trace: { print($0) })
    switch outcome.result {
    case .success(let digest): print(digest)
    case .failure(let failure): print(failure.message)
    }
}
