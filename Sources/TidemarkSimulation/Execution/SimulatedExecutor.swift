import Synchronization
import TidemarkTesting

/// Runs every task of a simulated process on the thread that calls ``run()``, in an order that a seed decides.
///
/// The next job is drawn from those that are ready, so that each seed gives a different interleaving, and the same seed
/// the same one. Calls in the lane keep their order, as in a queue.
package final class SimulatedExecutor: TaskExecutor {
    /// The number of jobs in one ``run()`` after which the tasks count as an endless loop.
    package static let jobCountMax = 200_000

    private struct State {
        var random: SeededGenerator
        /// The jobs that are ready; bounded by the number of tasks.
        var ready: [UnownedJob] = []
        /// The calls that wait for the disk; bounded by their number.
        var lane: [@Sendable () -> Void] = []
        var isLaneStalled = false
        var jobCount: UInt64 = 0
    }

    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private let state: Mutex<State>

    /// Creates an executor without work.
    ///
    /// - Parameter seed: Decides the order of jobs.
    package init(seed: UInt64) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// How many jobs and calls have run so far.
    package var jobCount: UInt64 { state.withLock { $0.jobCount } }

    /// Adds a job that is ready; called by the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// Adds a call to the disk's lane, after all earlier ones.
    package func enqueueInLane(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.lane.append(call) }
    }

    /// True while the lane is stalled, as by a slow disk; no call of the lane starts then.
    package var isLaneStalled: Bool {
        get { state.withLock { $0.isLaneStalled } }
        set { state.withLock { $0.isLaneStalled = newValue } }
    }

    /// Runs until nothing is ready.
    ///
    /// - Returns: False if work was still ready after ``jobCountMax`` jobs.
    package func run() -> Bool {
        for _ in 0..<Self.jobCountMax {
            guard let work = next() else { return true }
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .call(let call): call()
            }
        }
        return false
    }

    private func next() -> Work? {
        state.withLock { state in
            let hasCall = !state.lane.isEmpty && !state.isLaneStalled
            let count = state.ready.count + (hasCall ? 1 : 0)
            guard count > 0 else { return nil }
            state.jobCount += 1
            let place = count == 1 ? 0 : state.random.below(count)
            guard place < state.ready.count else { return .call(state.lane.removeFirst()) }
            state.ready.swapAt(place, state.ready.count - 1)
            return .job(state.ready.removeLast())
        }
    }
}
