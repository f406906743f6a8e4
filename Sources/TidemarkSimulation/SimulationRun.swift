import Dispatch

/// Runs schedules away from the tasks of the process that asks for them.
package enum SimulationRun {
    /// What came of a schedule.
    package struct Outcome: Sendable {
        /// The digest of all that was seen, or the law that did not hold.
        package var result: Result<SimulationDigest, SimulationFailure>
        /// The first process ended before its time: at the crash point, or as the plan said.
        package var hasCrashed: Bool
    }

    /// Runs one schedule on a thread of its own.
    ///
    /// - Parameters:
    ///   - crashPoint: Where the first process ends; nil: as the plan says.
    ///   - folder: Where its disks lie; nil: in the system's temporary folder.
    ///   - trace: Told what happens, line by line, on that thread.
    /// - Throws: What the file system said where a disk cannot be made.
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
