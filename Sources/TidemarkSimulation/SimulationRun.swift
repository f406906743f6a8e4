import Dispatch

/// Runs schedules away from the tasks of the process that asks for them.
package enum SimulationRun {
    /// Runs one schedule on a thread of its own.
    ///
    /// - Parameters:
    ///   - folder: Where its disks lie; nil: in the system's temporary folder.
    ///   - trace: Told what happens, line by line, on that thread.
    /// - Returns: The digest of all that was seen, or the law that did not hold.
    /// - Throws: What the file system said where a disk cannot be made.
    package static func outcome(
        of plan: SimulationPlan, folder: String? = nil, trace: (@Sendable (String) -> Void)? = nil
    ) async throws -> Result<SimulationDigest, SimulationFailure> {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "tidemark.simulation").async {
                continuation.resume(
                    with: Result {
                        do {
                            return .success(try Simulation(plan, folder: folder, trace: trace).run())
                        } catch let failure as SimulationFailure {
                            return .failure(failure)
                        }
                    })
            }
        }
    }
}
