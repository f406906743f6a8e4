import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Applies one request body of event lines.
///
/// Two tasks share it: one puts the bytes as they arrive, the other applies everything that has arrived. A fast body is
/// therefore applied in large pieces, a slow one line by line. At most ``waitingByteCountMax`` plus one piece waits,
/// and as much is being applied. The tasks swap two buffers, so a body of any length allocates only two.
final class EventIntake: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isTaking = false
        /// nil while more bytes may arrive; then true if the last line is complete.
        var isWhole: Bool?
        /// True once nothing more is taken because applying failed.
        var isOver = false
        var takers: CheckedContinuation<Void, Never>?
        var putters: CheckedContinuation<Void, Never>?
    }

    private static let waitingByteCountMax = 1 << 20
    /// The framing chunk, the same size as for the `ingest` command, so that all buffers have one size.
    private static let chunkByteCount = IngestStream.chunkByteCountDefault

    private let state = Mutex(State())
    private let readLineCount = Atomic<Int64>(0)

    // MARK: Putting

    /// Puts bytes, and returns when there is room for more.
    func put(_ bytes: some Collection<UInt8> & Sendable) async {
        change { $0.bytes.append(contentsOf: bytes) }
        await wait(\.putters) { $0.bytes.count < EventIntake.waitingByteCountMax || $0.isOver }
    }

    /// Marks the end of the input.
    ///
    /// - Parameter isWhole: True if a last line without a line end is complete; false drops that line.
    func end(isWhole: Bool) {
        change { $0.isWhole = isWhole }
    }

    // MARK: Taking

    /// Applies the lines until the input ends.
    ///
    /// - Returns: The input, whose event counts the caller takes from the cache, and the counts of lines.
    /// - Throws: ``StorageError`` when stored data cannot be read; the lines before are applied.
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

    /// The result of applying a body.
    struct Applied: Sendable {
        var input: InputID
        /// Counts of lines only; the cache counts the events.
        var counts = EventCounts()
    }

    private func apply(to cache: SyncCache, _ applied: inout Applied) async throws(StorageError) {
        let limits = cache.configuration.limits
        // One pool, so that the framer reuses the buffers that the decoder's batches release.
        let pool = BatchPool()
        var framer = LineFramer(input: applied.input, limits: limits, pool: pool)
        defer { framer.recycle() }
        let decoder: EventDecoder
        do throws(WireError) {
            decoder = try EventDecoder(limits: limits, pool: pool)
        } catch {
            throw EventIntake.noMemory
        }
        var bytes: [UInt8] = []
        while true {
            await wait(\.takers) { !$0.bytes.isEmpty || $0.isWhole != nil }
            let isWhole = exchange(&bytes)
            for start in stride(from: 0, to: bytes.count, by: EventIntake.chunkByteCount) {
                EventIntake.frame(bytes, from: start, &framer)
                try await apply(framer.takeBlocks(), decoder, to: cache, &applied)
            }
            if bytes.isEmpty, isWhole == true {
                framer.finish()
                try await apply(framer.takeBlocks(), decoder, to: cache, &applied)
            }
            state.withLock { $0.isTaking = false }
            if bytes.isEmpty, isWhole != nil { return }
        }
    }

    private static func frame(_ bytes: [UInt8], from start: Int, _ framer: inout LineFramer) {
        framer.read(byteCountMax: chunkByteCount) { space in
            bytes.withUnsafeBytes { bytes in
                let piece = bytes[start..<min(bytes.count, start + chunkByteCount)]
                space.copyBytes(from: piece)
                return piece.count
            }
        }
    }

    private func apply(
        _ blocks: [LineBlock], _ decoder: EventDecoder, to cache: SyncCache, _ applied: inout Applied
    ) async throws(StorageError) {
        for block in blocks {
            let batch: EventBatch
            do throws(WireError) { batch = try decoder.decode(block) } catch { throw EventIntake.noMemory }
            applied.counts.lines += Int64(batch.lines.count)
            applied.counts.blank += Int64(batch.blankCount)
            applied.counts.control += Int64(batch.controlCount)
            applied.counts.messages += Int64(batch.events.count { $0.kind == .message })
            readLineCount.store(applied.counts.lines, ordering: .sequentiallyConsistent)
            try await cache.ingest(batch)
        }
    }

    /// Takes all bytes that have arrived, and hands over the previous buffer for reuse.
    ///
    /// - Returns: nil while more bytes may arrive; then true if the last line is complete.
    private func exchange(_ bytes: inout [UInt8]) -> Bool? {
        bytes.removeAll(keepingCapacity: true)
        var isWhole: Bool?
        change { state in
            swap(&state.bytes, &bytes)
            state.isTaking = !bytes.isEmpty
            isWhole = state.isWhole
        }
        return isWhole
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
