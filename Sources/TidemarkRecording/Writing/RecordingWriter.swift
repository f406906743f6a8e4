import Foundation
import Synchronization
import Tidemark
import TidemarkModel

/// Writes the steps of a cache into a bounded file, on a queue of its own.
///
/// The engine never waits for it. A reader of input waits while much is unwritten, for at most 5 s at a time. When more
/// than ``byteCountMax`` of steps are unwritten, or the disk refuses writes, the recording ends with the reason, and
/// the cache continues without it.
///
/// - Source: Protocol/recordings.md.
package final class RecordingWriter: CacheRecorder {
    /// Something to write in order: a step, the end, or a caller that waits.
    private enum Item {
        /// A step, and its approximate size in memory.
        case entry(RecordedEntry, byteCount: Int)
        /// The end of the recording, with the reason.
        case end(String)
        /// A caller that waits until everything before it is written, or never will be.
        case mark(CheckedContinuation<Void, Never>)

        /// True if the item becomes a line of the file.
        var isRecorded: Bool {
            if case .mark = self { false } else { true }
        }
    }

    /// The state that the engine and the queue share, under a lock.
    private struct State {
        /// The unwritten items in order. Bound: ``RecordingWriter/byteCountMax``.
        var items: [Item] = []
        var byteCount = 0
        /// True once no more items are accepted.
        var isEnded = false
        /// True once no more items are written. After a step that could not be written, later steps would not describe
        /// what happened.
        var isStopped = false
        /// True while the queue is writing or the file is being shortened.
        var isBusy = false
        /// The waiting readers of input, at most one entry each.
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The callers that wait until everything is written.
        var finishers: [CheckedContinuation<Void, Never>] = []
        /// The task that shortens the file; nil while none runs.
        var shortening: Task<Void, Never>?
    }

    /// The most bytes of unwritten steps: 16 MiB. Above it the recording ends.
    package static let byteCountMax = 16 << 20
    /// The bytes of unwritten steps above which readers of input wait: 4 MiB.
    private static let roomByteCount = 4 << 20
    /// How long a reader of input waits at most: 5 s.
    private static let patience = DispatchTimeInterval.seconds(5)

    private let queue = DispatchQueue(label: "tidemark.recording")
    private let state = Mutex(State())
    /// The file. Only the queue uses it, or the shortening task while the queue waits for that; the lock proves this to
    /// the compiler.
    let file: Mutex<RecordingFile>
    private let path: String
    private let limit: Int64
    private let shortener: RecordingShortener?
    private let onEnd: @Sendable (String) -> Void

    /// Creates the file and writes its beginning.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which must not exist or must be empty.
    ///   - setup: The first line.
    ///   - base: The database if the setup includes it; else empty.
    ///   - limit: The maximum size of the file in bytes.
    ///   - shortener: Shortens the file when it is full; nil to end the recording then.
    ///   - onEnd: Called once with the reason when the recording ends before ``finish(_:)``.
    /// - Throws: ``RecordingError``.
    package init(
        _ path: String, setup: RecordingSetup, base: [UInt8] = [], limit: Int64, shortener: RecordingShortener? = nil,
        onEnd: @escaping @Sendable (String) -> Void
    ) throws(RecordingError) {
        try RecordingWriter.check(path)
        let file = try RecordingFile(path)
        try file.begin(setup, base: base)
        self.file = Mutex(file)
        self.path = path
        self.limit = limit
        self.shortener = shortener
        self.onEnd = onEnd
    }

    // MARK: From the engine

    /// Records a step. Returns at once; does nothing after the end.
    package func record(_ entry: RecordedEntry) {
        let byteCount = entry.step.byteCount
        add(.entry(entry, byteCount: byteCount), byteCount)
    }

    /// Ends the recording with a reason. Returns at once; does nothing after the end.
    package func end(because reason: String) {
        add(.end(reason), 0)
    }

    /// Suspends until everything that was recorded before is in the file, or the recording has ended.
    func written() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.isBusy else { return false }
                state.items.append(.mark(continuation))
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }

    private func add(_ item: Item, _ byteCount: Int) {
        let mustStart = state.withLock { state in
            guard !state.isEnded else { return false }
            state.items.append(item)
            state.byteCount += byteCount
            if case .end = item { state.isEnded = true }
            if state.byteCount > RecordingWriter.byteCountMax {
                state.items.append(.end("the disk does not keep up: \(state.byteCount) bytes are not written yet"))
                state.isEnded = true
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Suspends a reader of input while more than 4 MiB of steps are unwritten, for at most 5 s.
    package func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isEnded, state.byteCount > RecordingWriter.roomByteCount else { return false }
                state.waiters.append(continuation)
                return true
            }
            guard mustWait else { return continuation.resume() }
            // On the global queue, because the writing queue may be blocked.
            DispatchQueue.global().asyncAfter(deadline: .now() + RecordingWriter.patience) { self.letGo() }
        }
    }

    private func letGo() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Writes the remaining items and the last line, and closes the file.
    ///
    /// - Parameter reason: The reason for the end, for people.
    package func finish(_ reason: String) async {
        add(.end(reason), 0)
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.isBusy { state.finishers.append(continuation) }
                return state.isBusy
            }
            if !mustWait { continuation.resume() }
        }
        file.withLock { $0.finish() }
    }

    // MARK: On the queue

    private func drain() {
        while true {
            let items = state.withLock { state in
                let items = state.items
                state.items = []
                state.byteCount = 0
                return items
            }
            if items.isEmpty { break }
            letGo()
            for (index, item) in items.enumerated() {
                guard write(item) else {
                    // The file is full: the remaining items are written after it is shortened, or dropped.
                    return returnItems(items[index...])
                }
            }
        }
        let finishers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            // Another item may have been added meanwhile.
            guard state.items.isEmpty else { return nil }
            state.isBusy = false
            defer { state.finishers = [] }
            return state.finishers
        }
        guard let finishers else { return drain() }
        for finisher in finishers { finisher.resume() }
    }

    /// Writes one item.
    ///
    /// - Returns: False if the file has to be shortened first.
    private func write(_ item: Item) -> Bool {
        if case .mark(let continuation) = item {
            continuation.resume()
            return true
        }
        if state.withLock({ $0.isStopped }) { return true }
        do throws(RecordingError) {
            switch item {
            case .end(let reason):
                try file.withLock { (file) throws(RecordingError) in
                    try file.append(RecordingWriter.endLine(reason))
                    file.hasEnd = true
                }
                report(reason)
            case .mark: break
            case .entry(let entry, _):
                let line = entry.line
                return try file.withLock { (file) throws(RecordingError) in
                    // 1 KiB is reserved for the last line.
                    guard file.byteCount + Int64(line.count) + 1_024 <= limit else { return false }
                    try file.append(line)
                    return true
                }
            }
        } catch {
            stop("\(error.message); later steps are not recorded")
        }
        return true
    }

    private func report(_ reason: String) {
        // The caller of `finish` gave the reason itself.
        if state.withLock({ $0.finishers.isEmpty }) { onEnd(reason) }
    }

    /// Stops the recording after an error of the file.
    private func stop(_ reason: String) {
        state.withLock { state in
            state.isEnded = true
            state.isStopped = true
            state.items.removeAll(where: \.isRecorded)
            state.byteCount = 0
        }
        letGo()
        onEnd(reason)
    }

    private func returnItems(_ items: ArraySlice<Item>) {
        state.withLock { state in
            state.items.insert(contentsOf: items, at: 0)
            state.byteCount += items.reduce(0) { sum, item in
                if case .entry(_, let byteCount) = item { sum + byteCount } else { sum }
            }
            state.shortening = Task { await self.shorten() }
        }
    }

    // MARK: Shortening

    private func shorten() async {
        var reason = "it reached its limit of \(limit) bytes"
        do {
            if let shortener, let cut = try await shortener.cut(path, limit: limit) {
                try replace(cut)
                reason = ""
            }
        } catch {
            reason += ", and could not be shortened: \(error)"
        }
        if !reason.isEmpty {
            state.withLock { state in
                state.items = [.end(reason)] + state.items.filter { !$0.isRecorded }
                state.byteCount = 0
                state.isEnded = true
            }
        }
        state.withLock { $0.shortening = nil }
        queue.async { self.drain() }
    }

    private func replace(_ cut: RecordingShortener.Cut) throws(RecordingError) {
        try file.withLock { (file) throws(RecordingError) in
            unlink(path + ".new")
            let shorter = try RecordingFile(path + ".new")
            do throws(RecordingError) {
                try shorter.begin(cut.setup, base: cut.base)
                try file.copy(from: cut.offset, to: shorter)
                try file.replace(with: shorter)
            } catch {
                unlink(path + ".new")
                throw error
            }
        }
    }
}
