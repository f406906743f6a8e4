import Dispatch
import Foundation

/// Reads the blocks to merge ahead, on a thread and a connection of its own.
///
/// If the file is not in the page cache, reading blocks on the writer's thread slows merging down most. At most
/// ``byteCountMax`` of unpacked blocks wait; the rest is read as the writer takes some.
///
/// Sendable by hand-over: everything but `source` is accessed only with `condition` locked. `source` belongs to the
/// queue, which does one thing at a time.
///
/// - Source: docs/decisions/0020-past-memory.md.
final class VictimReader: VictimSource, @unchecked Sendable {
    /// The most bytes of waiting blocks, packed and unpacked: 8 MiB, some 350 blocks.
    static let byteCountMax = 8 << 20

    /// The connection with its statement; opened for the first block.
    private struct Source {
        // Declared before the connection, so that it is released first.
        var read: PreparedStatement
        var unpacker: BlockUnpacker
        var connection: ReadConnection
        var dictionaries: [Int64: PayloadDictionary] = [:]
    }

    private let path: String
    private let load: @Sendable (ReadConnection, Int64) throws -> PayloadDictionary?
    private let queue = DispatchQueue(label: "tidemark.victims")
    private var source: Source?

    private let condition = NSCondition()
    /// The blocks to read, the next one last. Bounded by what the planner chose.
    private var requested: [(ordinal: Int, number: Int64)] = []
    /// The blocks that were read, in order.
    private var ready: [VictimBlock] = []
    private var readyByteCount = 0
    /// True while the queue reads, or is about to.
    private var isReading = false
    private var failure: (any Error)?

    /// Creates a reader, which opens the file when the first block is requested.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - load: Loads a dictionary by its number; called on the reader's thread.
    init(
        path: String,
        load: @escaping @Sendable (ReadConnection, Int64) throws -> PayloadDictionary? = { _, _ in nil }
    ) {
        self.path = path
        self.load = load
    }

    var requestedCount: Int { condition.withLock { requested.count + ready.count + (isReading ? 1 : 0) } }

    func request(_ blocks: [(ordinal: Int, number: Int64)]) {
        condition.withLock {
            requested.insert(contentsOf: blocks.reversed(), at: 0)
            readOn()
        }
    }

    func take(
        countMax: Int, waits: Bool, dictionaries: [Int64: PayloadDictionary]
    ) throws -> [VictimBlock] {
        try condition.withLock {
            readOn()
            while waits, ready.isEmpty, failure == nil, isReading { condition.wait() }
            if let failure {
                self.failure = nil
                throw failure
            }
            let taken = Array(ready.prefix(countMax))
            ready.removeFirst(taken.count)
            readyByteCount -= taken.reduce(0) { $0 + $1.byteCount }
            readOn()
            return taken
        }
    }

    func stop() {
        condition.withLock { requested = [] }
        // The queue's current work ends first, and its connection is closed on the queue.
        queue.sync { source = nil }
    }

    /// Starts reading if there is something to read. The lock must be held.
    private func readOn() {
        guard !isReading, !requested.isEmpty, readyByteCount < VictimReader.byteCountMax, failure == nil else { return }
        isReading = true
        queue.async { self.readAll() }
    }

    private func readAll() {
        condition.lock()
        defer {
            isReading = false
            condition.broadcast()
            condition.unlock()
        }
        while readyByteCount < VictimReader.byteCountMax, let next = requested.popLast() {
            condition.unlock()
            let result = Result { try read(next.ordinal, next.number) }
            condition.lock()
            switch result {
            case .success(let block):
                ready.append(block)
                readyByteCount += block.byteCount
                condition.broadcast()
            case .failure(let error):
                requested.append(next)
                failure = error
                return
            }
        }
    }

    private func read(_ ordinal: Int, _ number: Int64) throws -> VictimBlock {
        if source == nil {
            let connection = try ReadConnection(path: path, isImmutable: false)
            source = Source(
                read: try PreparedStatement(connection.handle, "SELECT body FROM blocks WHERE number = ?"),
                unpacker: try BlockUnpacker(), connection: connection)
        }
        // No input reaches it: the lines above set it.
        guard var source else { preconditionFailure("no connection") }
        let body = try BlockTable.body(source.read, number: number)
        let dictionary = body.flatMap { body in
            body.withUnsafeBytes { bytes -> Int64? in
                do throws(PayloadError) { return try BlockHead(bytes).dictionary } catch { return nil }
            }
        }
        if let dictionary, source.dictionaries[dictionary] == nil {
            source.dictionaries[dictionary] = try load(source.connection, dictionary)
            self.source = source
        }
        return VictimBlock(
            ordinal: ordinal, number: number, body: body, unpacker: source.unpacker, dictionaries: source.dictionaries)
    }
}
