import Dispatch
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// Exports a data file at one committed state, on a queue of its own, as fast as the reader takes it.
///
/// At most ``waitingByteCountMax`` plus one entity waits for the reader. An export whose reader takes nothing for
/// ``idleTimeMax`` ends, because an open read transaction keeps the write-ahead log from shrinking.
final class EntityExport: Sendable {
    /// Which entities to export; nil means all libraries or types.
    struct Scope: Sendable {
        var library: ByteString?
        var type: ByteString?
    }

    private struct State {
        var chunk: [UInt8] = []
        var isStarted = false
        var isStopped = false
        /// How reading ended; nil while it continues.
        var end: Result<Void, StorageError>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private static let waitingByteCountMax = 256 << 10
    private static let idleTimeMax = DispatchTimeInterval.seconds(60)

    private let path: String
    private let encryption: (any DataFileEncryption)?
    private let scope: Scope
    private let queue = DispatchQueue(label: "tidemark.export")
    private let room = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    init(path: String, encryption: (any DataFileEncryption)?, scope: Scope) {
        self.path = path
        self.encryption = encryption
        self.scope = scope
    }

    /// Starts reading. Returns once the exported state is fixed.
    ///
    /// - Throws: ``StorageError`` when the file cannot be read.
    func begin() async throws(StorageError) {
        queue.async { self.read() }
        await wait { $0.isStarted || $0.end != nil }
        if case .failure(let error) = state.withLock({ $0.chunk.isEmpty ? $0.end : nil }) { throw error }
    }

    /// Returns the next lines; nil at the end.
    ///
    /// - Throws: ``StorageError`` when reading the file fails, or after the last line if some rows were damaged.
    func next() async throws(StorageError) -> [UInt8]? {
        await wait { !$0.chunk.isEmpty || $0.end != nil }
        let (chunk, end) = state.withLock { state in
            defer { state.chunk = [] }
            return (state.chunk, state.end)
        }
        room.signal()
        if !chunk.isEmpty { return chunk }
        try end?.get()
        return nil
    }

    /// Stops reading. Call it when no more chunks will be taken.
    func stop() {
        state.withLock { $0.isStopped = true }
        room.signal()
    }

    private func wait(until isReady: @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReadyNow = state.withLock { state in
                if isReady(state) { return true }
                state.waiter = continuation
                return false
            }
            if isReadyNow { continuation.resume() }
        }
        // Every step wakes the waiter; wait again until the condition holds.
        if !state.withLock({ isReady($0) }) { await wait(until: isReady) }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    private func read() {
        do throws(StorageError) {
            var damageCount = 0
            let reader = try SQLiteReader(path: path, encryption: encryption)
            try reader.walk(library: scope.library, type: scope.type) { step in
                switch step {
                case .entity(let entity): return self.put(EntityExport.line(of: entity))
                case .damaged:
                    damageCount += 1
                    return true
                }
            }
            if damageCount > 0 {
                throw StorageError(
                    .damaged, "\(damageCount) damaged rows are not in the export", advice: "run tidemark verify")
            }
            change { $0.end = .success(()) }
        } catch {
            change { $0.end = .failure(error) }
        }
    }

    /// Adds a line, and waits while the reader has not taken enough of the earlier lines.
    ///
    /// - Returns: True to continue, false to stop.
    private func put(_ line: [UInt8]) -> Bool {
        var mustWait = false
        var goesOn = true
        change { state in
            state.isStarted = true
            state.chunk += line
            mustWait = state.chunk.count >= EntityExport.waitingByteCountMax
            goesOn = !state.isStopped
        }
        while goesOn, mustWait {
            guard room.wait(timeout: .now() + EntityExport.idleTimeMax) == .success else { return false }
            (goesOn, mustWait) = state.withLock {
                (!$0.isStopped, $0.chunk.count >= EntityExport.waitingByteCountMax)
            }
        }
        return goesOn
    }

    /// Returns one entity as a line of JSON, in the format of the `export` command.
    static func line(of entity: EntitySnapshot) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("library_id", entity.key.library)
            line.member("resource_type", entity.key.type)
            line.member("id", entity.key.id)
            line.member("resource", json: entity.payload)
            line.member("sequence", entity.sequence)
        }
        return line.bytes + [0x0A]
    }
}
