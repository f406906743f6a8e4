import Dispatch
import Foundation
import Synchronization

/// Runs a closure over many inputs, on the calling thread and on threads of other processors.
///
/// Each thread takes the next input until none is left, so the caller waits for at most one input of another thread.
///
/// Sendable by claim: each context belongs to one thread, and each input to the thread that took its number.
final class ParallelWork<Context, Input, Output>: @unchecked Sendable {
    private let inputs: [Input]
    private let contexts: [Context]
    private let body: (Context, Input) -> Output
    private let next = Atomic<Int>(0)
    private let outputs: Mutex<[Output?]>

    private init(_ inputs: [Input], _ contexts: [Context], _ body: @escaping (Context, Input) -> Output) {
        self.body = body
        self.inputs = inputs
        self.contexts = contexts
        outputs = Mutex(Array(repeating: nil, count: inputs.count))
    }

    /// Returns the outputs of a closure, in the order of the inputs.
    ///
    /// - Parameters:
    ///   - contexts: What each thread needs, at least one. At most so many threads run.
    ///   - body: Must use only its arguments and constant values.
    static func map(
        _ inputs: [Input], contexts: [Context], _ body: @escaping (Context, Input) -> Output
    ) -> [Output] {
        guard inputs.count > 1, contexts.count > 1 else { return inputs.map { body(contexts[0], $0) } }
        let work = ParallelWork(inputs, contexts, body)
        DispatchQueue.concurrentPerform(iterations: min(contexts.count, inputs.count)) { work.run($0) }
        return work.outputs.withLock { outputs in outputs.compactMap { $0 } }
    }

    private func run(_ context: Int) {
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < inputs.count else { return }
            let output = Taken(value: body(contexts[context], inputs[index]))
            outputs.withLock { $0[index] = output.value }
        }
    }

    /// An output that is handed over by the thread that computed it; nobody else has it.
    private struct Taken: @unchecked Sendable {
        var value: Output
    }
}

/// The threads among which work of this module is shared.
enum ParallelThreads {
    /// The number of threads that share work: one for each processor, at most four.
    static var count: Int { min(4, ProcessInfo.processInfo.activeProcessorCount) }
}
