import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkWire

/// Event lines of library `a`, and ways to feed them.
enum Lines {
    static func change(_ sequence: Int64, id: String? = nil, epoch: String? = nil) -> String {
        EventLine.change(
            #"{"id":"\#(id ?? "f\(sequence)")","n":\#(sequence)}"#, library: "a", sequence: sequence, epoch: epoch)
    }

    static func delete(_ sequence: Int64, id: String) -> String {
        EventLine.delete(id, library: "a", sequence: sequence)
    }

    static func heartbeat(_ last: Int64) -> String {
        EventLine.heartbeat(last, library: "a")
    }

    static func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

    static func key(_ id: String) -> EntityKey { EntityKey(library: "a", type: "file", id: ByteString(id)) }
}

/// An input that a test feeds a batch at a time.
struct HandInput: Sendable {
    let cache: SyncCache
    let input: InputID
    let acknowledgements: AsyncStream<Acknowledgement>
    private let wire: Wire

    private final class Wire: Sendable {
        struct Work {
            var framer: LineFramer
            let decoder: EventDecoder
        }

        let work: Mutex<Work>

        init(input: InputID) throws {
            work = Mutex(Work(framer: LineFramer(input: input), decoder: try EventDecoder()))
        }
    }

    init(into cache: SyncCache, hasUnread: @escaping @Sendable () -> Bool = { true }) async throws {
        self.cache = cache
        (input, acknowledgements) = await cache.openInput(hasUnread: hasUnread)
        wire = try Wire(input: input)
    }

    func feed(_ lines: [String]) async throws {
        let batches = try wire.work.withLock { work in
            Lines.bytes(lines).withUnsafeBytes { work.framer.append($0) }
            return try work.framer.takeBlocks().map { try work.decoder.decode($0) }
        }
        for batch in batches { try await cache.ingest(batch) }
    }

    /// Ends the input: missing numbers are declared lost, and everything becomes durable.
    func end() async throws {
        try await cache.endOfInput()
        try await cache.flush()
        await cache.closeInput(input)
    }

    /// Returns every acknowledgement after the input has ended.
    func allAcknowledgements() async -> [Acknowledgement] {
        var all: [Acknowledgement] = []
        for await acknowledgement in acknowledgements { all.append(acknowledgement) }
        return all
    }
}

/// Checks a condition repeatedly, with turns for other tasks in between, until it holds; false when it does not hold
/// in time.
///
/// The turns are not counted: how many a disk takes depends on the machine.
func eventually(_ holds: () async throws -> Bool) async rethrows -> Bool {
    let deadline = TestPatience.deadline
    while .now < deadline {
        if try await holds() { return true }
        await Task.yield()
    }
    return false
}
