import Foundation

/// The threads that work on one flush: the writer's, and helpers that come and go.
///
/// Sendable by hand-over: `claims` is touched with `condition` locked only; a chunk belongs to the thread that claimed it until that
/// says it is filled, and to the writer until it says it is written, both under the lock; `source` stands still until
/// ``end()`` returned, and a helper reads it only between `enter` and `leave`.
final class BodyCrew: @unchecked Sendable {
    private let source: BodySource
    private let chunks: [BodyChunk]
    private let condition = NSCondition()
    private var claims: BodyClaims

    init(_ source: BodySource, _ chunks: [BodyChunk]) {
        self.source = source
        self.chunks = chunks
        claims = BodyClaims(rowCount: source.rows.count)
    }

    /// Encodes until nothing is left to claim. One that comes when the flush is over does nothing.
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

    /// Hands out every chunk in order, and encodes while the next one is not ready.
    ///
    /// - Throws: What `write` threw.
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

    /// Returns when no helper reads the flush any more, and none will.
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
