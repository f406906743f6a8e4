import Dispatch

/// Runs a journal's work on a queue of its own, so that no task of the cache waits behind a disk.
final class JournalExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "tidemark.journal", qos: .userInitiated)

    /// Runs work that comes before there is an actor.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
