import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// The payloads of one fetch, as the host sends them. They are handed over in order, each after its predecessor was
/// used.
///
/// The host's lines are read one at a time, so at most two payloads are held after the answer has arrived: the answer
/// and the payload after it. Before the answer, at most ``earlyCountMax`` are held.
final class HostParts: GraphQLParts {
    private struct State {
        /// Payloads not yet requested, each with the continuation of the line that waits for its use.
        var waiting: [(payload: JSONSlice, line: CheckedContinuation<Void, Never>?)] = []
        /// The line whose payload is in use.
        var current: CheckedContinuation<Void, Never>?
        /// The reader that waits for a payload.
        var reader: CheckedContinuation<JSONSlice?, Never>?
        /// True once the answer itself has arrived. Earlier payloads are queued without making their lines wait.
        var isBegun = false
        var isStopped = false
    }

    private static let earlyCountMax = 64

    private let state = Mutex(State())
    private let onStop: @Sendable () -> Void

    init(onStop: @escaping @Sendable () -> Void) { self.onStop = onStop }

    /// Puts the answer itself before the payloads that follow it.
    func begin(_ answer: JSONSlice) {
        state.withLock { state in
            state.isBegun = true
            state.waiting.insert((answer, nil), at: 0)
        }
    }

    /// Hands over a payload. Returns once it was used, or dropped because the fetch has ended.
    func receive(_ payload: JSONSlice) async {
        await withCheckedContinuation { line in
            let resumed: (reader: CheckedContinuation<JSONSlice?, Never>?, isDone: Bool) = state.withLock { state in
                if state.isStopped { return (nil, true) }
                if !state.isBegun, state.waiting.count < HostParts.earlyCountMax {
                    state.waiting.append((payload, nil))
                    return (nil, true)
                }
                guard let reader = state.reader else {
                    state.waiting.append((payload, line))
                    return (nil, false)
                }
                state.reader = nil
                state.current = line
                return (reader, false)
            }
            if resumed.isDone { line.resume() }
            resumed.reader?.resume(returning: payload)
        }
    }

    func next() async throws(UpstreamError) -> (payload: JSONValue, byteCount: Int)? {
        let slice: JSONSlice? = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let found: (used: CheckedContinuation<Void, Never>?, payload: JSONSlice?, isOver: Bool) =
                    state.withLock { state in
                        let used = state.current
                        state.current = nil
                        if state.isStopped { return (used, nil, true) }
                        guard !state.waiting.isEmpty else {
                            state.reader = reader
                            return (used, nil, false)
                        }
                        let first = state.waiting.removeFirst()
                        state.current = first.line
                        return (used, first.payload, false)
                    }
                found.used?.resume()
                if found.isOver || found.payload != nil { reader.resume(returning: found.payload) }
            }
        } onCancel: {
            stop()
        }
        guard let slice else { throw UpstreamError("nobody waits for further parts any more") }
        do throws(JSONSyntaxError) {
            let payload = try JSONValue(parsing: slice.bytes)
            // `fetch` is not part of the payload; a payload with nothing else is a heartbeat.
            return (.object((payload.members ?? []).filter { $0.name != "fetch" }), slice.bytes.count)
        } catch {
            throw UpstreamError("a part of the host's answer cannot be used: \(error)")
        }
    }

    func stop() {
        let ended = state.withLock { state in
            state.isStopped = true
            defer {
                state.waiting = []
                state.current = nil
                state.reader = nil
            }
            return (lines: state.waiting.compactMap(\.line) + [state.current].compactMap { $0 }, reader: state.reader)
        }
        for line in ended.lines { line.resume() }
        ended.reader?.resume(returning: nil)
        onStop()
    }
}
