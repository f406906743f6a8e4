import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The applying of one body of event lines.
///
/// Two tasks: one puts the bytes as they come, the other applies everything that has come. So a fast body is applied in
/// large pieces, and a slow one line by line. Bounded: at most ``waitingByteCountMax`` and one piece wait, and as much
/// is being applied. Both keep their buffers, which change places: a body of any length makes two of them.
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
    /// The bytes that are framed at once, as the command `ingest` reads them: all buffers then have one size.
    private static let chunkByteCount = IngestStream.chunkByteCountDefault

    private let state = Mutex(State())
    private let readLineCount = Atomic<Int64>(0)

    // MARK: Putting

    /// Puts bytes; returns when there is room for more.
    func put(_ bytes: some Collection<UInt8> & Sendable) async {
        change { $0.bytes.append(contentsOf: bytes) }
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
        // One pool: the framer takes the buffers that the decoder's batches give back.
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

    /// Takes everything that has come, in exchange for the buffer of the bytes before.
    ///
    /// - Returns: Whether no more bytes come, and if so whether the last line is whole.
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
