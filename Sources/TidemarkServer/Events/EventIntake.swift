import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The applying of one body of event lines.
///
/// Two tasks: one puts the bytes as they come, the other applies everything that has come. So a fast body is applied in
/// large pieces, and a slow one line by line. Bounded: at most ``waitingByteCountMax`` and one piece wait.
final class EventIntake: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isTaking = false
        /// Whether no more bytes come, and if so whether the last line is whole.
        var isWhole: Bool?
        /// Whether nothing more is taken: applying failed.
        var isOver = false
        var takers: CheckedContinuation<Void, Never>?
        var putters: CheckedContinuation<Void, Never>?
    }

    private static let waitingByteCountMax = 1 << 20

    private let state = Mutex(State())
    private let readLineCount = Atomic<Int64>(0)

    // MARK: Putting

    /// Puts bytes; returns when there is room for more.
    func put(_ bytes: [UInt8]) async {
        change { $0.bytes += bytes }
        await wait(\.putters) { $0.bytes.count < EventIntake.waitingByteCountMax || $0.isOver }
    }

    /// Notes that no more bytes come.
    ///
    /// - Parameter isWhole: Whether a last line without a line end is whole; else it is dropped.
    func end(isWhole: Bool) {
        change { $0.isWhole = isWhole }
    }

    // MARK: Taking

    /// Applies the lines until the end.
    ///
    /// - Returns: The outcome of the lines, without those of events; the input, whose tally the caller takes; the
    ///   number of lines.
    /// - Throws: ``StorageError`` when stored data cannot be read; lines before are applied.
    func apply(to cache: SyncCache) async throws(StorageError) -> Applied {
        let (input, _) = await cache.openInput(
            hasUnread: { [self] in state.withLock { !$0.bytes.isEmpty || $0.isTaking } },
            readLineCount: { [self] in readLineCount.load(ordering: .sequentiallyConsistent) })
        await cache.beginTally(of: input)
        var applied = Applied(input: input)
        do throws(StorageError) {
            try await apply(to: cache, &applied)
        } catch {
            change { $0.isOver = true }
            _ = await cache.takeTally(of: input)
            await cache.closeInput(input)
            throw error
        }
        return applied
    }

    /// The lines of a body, counted.
    struct Applied: Sendable {
        var input: InputID
        /// The lines; their events are counted by the cache.
        var counts = EventCounts()
    }

    private func apply(to cache: SyncCache, _ applied: inout Applied) async throws(StorageError) {
        let limits = cache.configuration.limits
        var framer = LineFramer(input: applied.input, limits: limits)
        defer { framer.recycle() }
        let decoder: EventDecoder
        do throws(WireError) { decoder = try EventDecoder(limits: limits) } catch { throw EventIntake.noMemory }
        while true {
            await wait(\.takers) { !$0.bytes.isEmpty || $0.isWhole != nil }
            let (bytes, isWhole) = take()
            bytes.withUnsafeBytes { framer.append($0) }
            if bytes.isEmpty, isWhole == true { framer.finish() }
            for block in framer.takeBlocks() {
                let batch: EventBatch
                do throws(WireError) { batch = try decoder.decode(block) } catch { throw EventIntake.noMemory }
                applied.counts.lines += Int64(batch.lines.count)
                applied.counts.blank += Int64(batch.blankCount)
                applied.counts.control += Int64(batch.controlCount)
                applied.counts.messages += Int64(batch.events.count { $0.kind == .message })
                readLineCount.store(applied.counts.lines, ordering: .sequentiallyConsistent)
                try await cache.ingest(batch)
            }
            state.withLock { $0.isTaking = false }
            if bytes.isEmpty, isWhole != nil { return }
        }
    }

    private func take() -> (bytes: [UInt8], isWhole: Bool?) {
        var taken: ([UInt8], Bool?) = ([], nil)
        change { state in
            taken = (state.bytes, state.isWhole)
            state.isTaking = !state.bytes.isEmpty
            state.bytes = []
        }
        return taken
    }

    private static let noMemory = StorageError(
        .inputOutput, "there is no memory to decode the body", advice: "send less at once")

    // MARK: Waiting

    private typealias Waiter = any WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable

    private func wait(_ place: Waiter, until isReady: @Sendable (State) -> Bool) async {
        while !state.withLock({ isReady($0) }) {
            await withCheckedContinuation { continuation in
                let isReadyNow = state.withLock { state in
                    if isReady(state) { return true }
                    state[keyPath: place] = continuation
                    return false
                }
                if isReadyNow { continuation.resume() }
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { (state.takers, state.putters) = (nil, nil) }
            return [state.takers, state.putters]
        }
        for waiter in waiters { waiter?.resume() }
    }
}
