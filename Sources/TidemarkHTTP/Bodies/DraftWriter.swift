import Tidemark
import TidemarkStore

/// Writes a body to the disk in chunks of 1 MiB as it comes. A disk that fails ends the writing, not the exchange.
actor DraftWriter {
    private enum State {
        case writing
        /// The disk failed; what was appended is still there.
        case failed
        case ended
    }

    private let store: HTTPResponseStore
    private var state = State.writing
    private var draft: (HTTPBodyDraft, HTTPBodyHold)?
    /// The bytes that are not on the disk: the chunk that is not full yet, and more of them only after a failure.
    private var tail: [UInt8] = []

    init(_ store: HTTPResponseStore) { self.store = store }

    /// - Returns: Whether the writing continues; otherwise ``takeBack()`` has all bytes.
    @discardableResult
    func append(_ bytes: [UInt8]) async -> Bool {
        guard state != .ended else { return false }
        tail += bytes
        var start = 0
        while state == .writing, tail.count - start >= HTTPBodyDraft.chunkByteCount {
            await write(Array(tail[start..<(start + HTTPBodyDraft.chunkByteCount)]))
            if state == .writing { start += HTTPBodyDraft.chunkByteCount }
        }
        if start > 0, state != .ended { tail.removeFirst(start) }
        return state == .writing
    }

    private func write(_ chunk: [UInt8]) async {
        do throws(CacheError) {
            if draft == nil { draft = try await store.beginBody() }
            if let (begun, hold) = draft, let next = try await store.write(chunk, of: begun) {
                draft = (next, hold)
            } else {
                state = .failed
            }
        } catch {
            state = .failed
        }
    }

    /// Writes the last chunk.
    ///
    /// - Returns: The whole draft; nil when the writing failed or was ended.
    func finish() async -> (HTTPBodyDraft, HTTPBodyHold)? {
        guard state == .writing else { return nil }
        if !tail.isEmpty { await write(tail) }
        guard state == .writing else { return nil }
        tail = []
        return draft
    }

    /// Returns everything that was appended; nil when the disk does not give back what is on it.
    func takeBack() async -> [UInt8]? {
        var bytes: [UInt8] = []
        if let (draft, hold) = draft {
            do throws(CacheError) {
                guard let read = try await store.bytes(draft, hold) else { return nil }
                bytes = read
            } catch {
                return nil
            }
        }
        return bytes + tail
    }

    /// Ends the writing, and lets its chunks go.
    func abandon() async {
        guard state != .ended else { return }
        state = .ended
        tail = []
        guard draft != nil else { return }
        draft = nil
        await store.sweep()
    }
}
