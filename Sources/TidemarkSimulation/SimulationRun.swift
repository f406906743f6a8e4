import Dispatch

/// Runs schedules on a thread of their own, apart from the tasks of the calling process.
///
/// ```swift
/// let outcome = try await SimulationRun.outcome(of: SimulationPlan(seed: 17), trace: { print($0) })
/// switch outcome.result {
/// case .success(let digest): print(digest)
/// case .failure(let failure): print(failure.message)
/// }
/// ```
package enum SimulationRun {
    /// The result of a schedule.
    package struct Outcome: Sendable {
        /// The digest of everything that was seen, or the law that was broken.
        package var result: Result<SimulationDigest, SimulationFailure>
        /// True if the first process ended early, at the crash point or as planned.
        package var hasCrashed: Bool
    }

    /// Runs one schedule.
    ///
    /// - Parameters:
    ///   - plan: The schedule.
    ///   - crashPoint: Where the first process ends; nil to follow the plan.
    ///   - folder: The folder of the simulated disks; nil for the system's temporary folder.
    ///   - trace: Called on the schedule's thread with a description of every step, line by line.
    /// - Throws: The error of the file system if a disk cannot be created.
    package static func outcome(
        of plan: SimulationPlan, crashPoint: CrashPoint? = nil, folder: String? = nil,
        trace: (@Sendable (String) -> Void)? = nil
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "tidemark.simulation").async {
                continuation.resume(
                    with: Result {
                        let simulation = Simulation(plan, crashPoint: crashPoint, folder: folder, trace: trace)
                        do {
                            let digest = try simulation.run()
                            return Outcome(result: .success(digest), hasCrashed: simulation.hasCrashed)
                        } catch let failure as SimulationFailure {
                            return Outcome(result: .failure(failure), hasCrashed: simulation.hasCrashed)
                        }
                    })
            }
        }
    }
}
