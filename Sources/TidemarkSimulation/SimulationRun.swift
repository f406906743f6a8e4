import Dispatch

/// Runs schedules away from the tasks of the calling process.
package enum SimulationRun {
    /// The result of a schedule.
    package struct Outcome: Sendable {
        /// The digest of everything that was seen, or the law that did not hold.
        package var result: Result<SimulationDigest, SimulationFailure>
        /// Whether the first process ended early: at the crash point, or as the plan says.
        package var hasCrashed: Bool
    }

    /// Runs one schedule on a thread of its own.
    ///
    /// - Parameters:
    ///   - crashPoint: The place where the first process ends; nil to follow the plan.
    ///   - folder: The folder of the disks; nil for the system's temporary folder.
    ///   - trace: Called on that thread with a description of every step, line by line.
    /// - Throws: The error of the file system when a disk cannot be made.
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
