import Tidemark
import TidemarkHTTPRecords
import TidemarkStore

/// Writes a body to the disk in chunks of 1 MiB while it arrives. If the disk fails, the writing ends and the exchange
/// continues.
actor DraftWriter {
    private enum State {
        case writing
        /// The disk failed; ``takeBack()`` still returns what was appended.
        case failed
        case ended
    }

    private let store: HTTPResponseStore
    private var state = State.writing
    private var draft: (HTTPBodyDraft, HTTPBodyHold)?
    /// The bytes that are not on the disk yet: less than a chunk, and more only after a failure.
    private var tail: [UInt8] = []

    init(_ store: HTTPResponseStore) { self.store = store }

    /// Appends bytes, and writes each chunk that is full.
    ///
    /// - Returns: True if the writing continues. If not, ``takeBack()`` returns all bytes.
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
    /// - Returns: The complete draft; nil if the writing failed or was abandoned.
    func finish() async -> (HTTPBodyDraft, HTTPBodyHold)? {
        guard state == .writing else { return nil }
        if !tail.isEmpty { await write(tail) }
        guard state == .writing else { return nil }
        tail = []
        return draft
    }

    /// Returns everything that was appended; nil if the disk fails to return its part.
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

    /// Ends the writing and removes its chunks.
    func abandon() async {
        guard state != .ended else { return }
        state = .ended
        tail = []
        guard draft != nil else { return }
        draft = nil
        await store.sweep()
    }
}
