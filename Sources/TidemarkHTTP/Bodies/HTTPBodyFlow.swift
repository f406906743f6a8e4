import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// A body that its caller reads in chunks, once, from front to end. Two flows are equal only if they are the same
/// object.
package final class HTTPBodyFlow: Sendable, Hashable {
    private let read: @Sendable () async throws(CacheError) -> [UInt8]?
    private let stored: @Sendable () async -> Bool

    init(
        next: @escaping @Sendable () async throws(CacheError) -> [UInt8]?,
        isStored: @escaping @Sendable () async -> Bool
    ) {
        read = next
        stored = isStored
    }

    /// Returns the next chunk, at least one byte; nil after the last.
    ///
    /// - Throws: ``/Tidemark/CacheError``: the code of an exchange that failed, or `storageFailed`. A body that ends
    ///   early throws and never ends with nil.
    package func next() async throws(CacheError) -> [UInt8]? { try await read() }

    /// True if the response is in the database. For a response from the network this is known only after its last
    /// chunk.
    package var isStored: Bool { get async { await stored() } }

    /// Compares by identity.
    package static func == (first: HTTPBodyFlow, second: HTTPBodyFlow) -> Bool { first === second }

    /// Hashes the identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A stored body that is read from the disk a chunk at a time.
///
/// Its chunks were checked when the hold was taken, and stay until the reader is done, even if the response is replaced
/// meanwhile.
actor HeldBody {
    private let hold: HTTPBodyHold
    private let store: HTTPResponseStore
    /// The range of bytes that the reader has not taken yet.
    private var rest: Range<Int64>

    init(_ hold: HTTPBodyHold, _ bounds: Range<Int64>, _ store: HTTPResponseStore) {
        self.hold = hold
        self.store = store
        rest = bounds
    }

    nonisolated var flow: HTTPBodyFlow {
        HTTPBodyFlow(next: { () throws(CacheError) in try await self.next() }, isStored: { true })
    }

    private func next() async throws(CacheError) -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        let size = Int64(HTTPBodyDraft.chunkByteCount)
        let place = rest.lowerBound / size
        let wanted = rest.lowerBound..<min(rest.upperBound, (place + 1) * size)
        guard let chunk = try await store.chunk(hold, place), Int64(chunk.count) >= wanted.upperBound - place * size
        else {
            throw CacheError(.storageFailed, "a stored body was damaged while it was read: ask again")
        }
        rest = wanted.upperBound..<rest.upperBound
        return Array(chunk[Int(wanted.lowerBound - place * size)..<Int(wanted.upperBound - place * size)])
    }
}

/// A body from the network that its caller reads while it arrives and is stored.
///
/// It is written in chunks of 1 MiB, which belong to no response until the last byte has arrived. The exchange runs at
/// the pace of the caller.
actor ArrivingBody {
    /// What is needed to read and store a body after the head of its response has been returned.
    struct Parts: Sendable {
        /// The bytes already read while finding out whether the body is long.
        var first: [UInt8]
        var rest: HTTPBody
        /// The largest body that is stored, in bytes; 0 if the response must not be stored.
        var byteCountMax: Int
        /// Checks the length of the complete body against the head.
        var check: @Sendable (Int64) throws(ExchangeError) -> Void
        /// Called with the complete body, kept or not. Returns true if the response was stored.
        var finish: @Sendable (HTTPContent) async -> Bool
    }

    private let parts: Parts
    private let writer: DraftWriter
    private var first: [UInt8]?
    private var byteCount: Int64 = 0
    private var isEnded = false
    private var isStored = false

    init(_ parts: Parts, _ store: HTTPResponseStore) {
        self.parts = parts
        first = parts.first
        writer = DraftWriter(store)
    }

    deinit {
        // If the caller drops the rest of the body, the exchange ends, and releasing the hold removes the draft.
        parts.rest.cancel()
    }

    nonisolated var flow: HTTPBodyFlow {
        HTTPBodyFlow(
            next: { () throws(CacheError) in try await self.next() }, isStored: { await self.isStored })
    }

    private func next() async throws(CacheError) -> [UInt8]? {
        guard !isEnded else { return nil }
        if let first {
            self.first = nil
            await keep(first)
            return first
        }
        do throws(ExchangeError) {
            if let chunk = try await parts.rest.next() {
                await keep(chunk)
                return chunk
            }
            isEnded = true
            try parts.check(byteCount)
        } catch {
            isEnded = true
            await writer.abandon()
            throw HTTPClient.error(error)
        }
        if let (draft, hold) = await writer.finish() {
            isStored = await parts.finish(.draft(draft, hold))
        } else {
            isStored = await parts.finish(.passed(byteCount))
        }
        return nil
    }

    private func keep(_ chunk: [UInt8]) async {
        byteCount += Int64(chunk.count)
        if byteCount > parts.byteCountMax { await writer.abandon() } else { await writer.append(chunk) }
    }
}
