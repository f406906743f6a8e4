import Dispatch

/// Runs a journal's work in order on a queue of its own, so that no task of the cache waits for a disk.
final class JournalExecutor: SerialExecutor {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor.
    ///
    /// - Parameter enqueue: Runs each given closure in order, one at a time; nil for a queue of the journal's own.
    init(_ enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?) {
        if let enqueue {
            self.enqueue = enqueue
        } else {
            let queue = DispatchQueue(label: "tidemark.journal", qos: .userInitiated)
            self.enqueue = { queue.async(execute: $0) }
        }
    }

    /// Runs work that must happen before the actor exists.
    func run(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        enqueue { job.runSynchronously(on: executor) }
    }
}
