import Foundation

/// The threads that encode one flush: the writer's, and helpers that join and leave.
///
/// Sendable by hand-over: `claims` is accessed only with `condition` locked. A chunk belongs to the thread that claimed
/// it until that thread marks it as filled, and then to the writer until it marks it as written, both under the lock.
/// `source` does not change until ``end()`` has returned, and a helper reads it only between `enter` and `leave`.
final class EncodingThreads: @unchecked Sendable {
    private let source: BodySource
    private let chunks: [BodyChunk]
    private let condition = NSCondition()
    private var claims: BodyClaims

    init(_ source: BodySource, _ chunks: [BodyChunk]) {
        self.source = source
        self.chunks = chunks
        claims = BodyClaims(rowCount: source.rows.count)
    }

    /// Encodes until nothing is left to claim. A helper that starts after the end of the flush does nothing.
    func help() {
        condition.lock()
        defer { condition.unlock() }
        guard claims.enter() else { return }
        while true {
            switch claims.helperStep(source.cut) {
            case .encode(let claim): encode(claim)
            case .wait: condition.wait()
            case .write, .leave:
                claims.leave()
                condition.broadcast()
                return
            }
        }
    }

    /// Passes every chunk to `write` in order, and encodes while the next chunk is not ready.
    ///
    /// - Throws: The error of `write`.
    func write(_ write: (BodyChunk) throws -> Void) throws {
        condition.lock()
        defer { condition.unlock() }
        while true {
            switch claims.writerStep(source.cut) {
            case .encode(let claim): encode(claim)
            case .wait: condition.wait()
            case .leave: return
            case .write(let chunk):
                try unlocked {
                    try write(chunks[chunk])
                    chunks[chunk].empty()
                }
                claims.written()
                condition.broadcast()
            }
        }
    }

    /// Ends the work, and waits until no helper reads the flush any longer.
    func end() {
        condition.lock()
        defer { condition.unlock() }
        claims.end()
        condition.broadcast()
        while claims.helperCount > 0 { condition.wait() }
        for chunk in chunks { chunk.empty() }
    }

    private func encode(_ claim: BodyClaims.Claim) {
        unlocked { chunks[claim.chunk].fill(claim.rows, of: source) }
        claims.filled(claim)
        condition.broadcast()
    }

    private func unlocked<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        condition.unlock()
        defer { condition.lock() }
        try body()
    }
}
