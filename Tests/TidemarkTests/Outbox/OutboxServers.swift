import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// A server that answers when the test says so.
actor ScriptedMutations: MutationUpstream {
    private var open: [CheckedContinuation<Result<OptimisticCommit, UpstreamError>, Never>] = []
    private var sent: [SentMutation] = []
    private var watchers: [CheckedContinuation<SentMutation, Never>] = []

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        if watchers.isEmpty { sent.append(mutation) } else { watchers.removeFirst().resume(returning: mutation) }
        return try await withCheckedContinuation { open.append($0) }.get()
    }

    /// Whether a mutation was sent that ``next()`` has not returned.
    var wasSent: Bool { !sent.isEmpty }

    /// Returns the next mutation that was sent.
    func next() async -> SentMutation {
        if !sent.isEmpty { return sent.removeFirst() }
        return await withCheckedContinuation { watchers.append($0) }
    }

    /// Answers the oldest open mutation.
    func answer(_ result: Result<OptimisticCommit, UpstreamError>) {
        open.removeFirst().resume(returning: result)
    }
}

/// A server that confirms at once and writes down what it did.
final class CountingMutations: MutationUpstream {
    private struct State {
        var log: [String] = []
        var atOnce = 0
        var mostAtOnce = 0
    }

    private let state = Mutex(State())

    var log: [String] { state.withLock { $0.log } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        state.withLock { state in
            state.log.append(mutation.pendingID.description)
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
        }
        for _ in 0..<20 { await Task.yield() }
        state.withLock { $0.atOnce -= 1 }
        return OptimisticCommit(pendingID: mutation.pendingID, confirmed: [])
    }
}

/// A server that reads the cache's file when it gets a mutation: the layer and the attempt have to be in it.
final class ReadingMutations: MutationUpstream {
    private let path: String
    private let state = Mutex((count: 0, missing: [String]()))

    init(path: String) { self.path = path }

    var count: Int { state.withLock { $0.count } }
    var missing: [String] { state.withLock { $0.missing } }

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        var isThere = false
        do throws(StorageError) {
            for step in try SQLiteReader(path: path).layers() {
                guard case .layer(let layer) = step, layer.layer.pendingID == mutation.pendingID else { continue }
                isThere = layer.outbox?.attempt == mutation.attempt
            }
        } catch {
            isThere = false
        }
        state.withLock { state in
            state.count += 1
            if !isThere { state.missing.append(mutation.pendingID.description) }
        }
        return OptimisticCommit(pendingID: mutation.pendingID, confirmed: [])
    }
}
