import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads single entities of a file of blocks on the caller's thread, beside a commit.
///
/// It uses the writer's index, which changes after each COMMIT, so a read sees the state before or after it.
///
/// Sendable by locking: only the thread that holds the lock uses the connection and its statements. A caller waits for
/// at most one read of each other caller.
final class ConcurrentReads: Sendable {
    /// The connection for reads, with its reader.
    private struct Source {
        // Declared before the connection, so that it is released first.
        var reader: BlockReader
        var connection: ReadConnection
    }

    /// The state of the connection for reads.
    private enum Phase {
        /// There are no blocks, or the file is closed.
        case closed
        /// The first read opens the connection.
        case ready(path: String, BlockIndex)
        /// The connection is open.
        case open(Source)
    }

    private let phase = Mutex(Phase.closed)

    /// Enables reads, once the index is loaded.
    func open(path: String, _ index: BlockIndex) { phase.withLock { $0 = .ready(path: path, index) } }

    /// Disables reads, and closes the connection.
    func close() { phase.withLock { $0 = .closed } }

    /// Reads an entity.
    ///
    /// - Returns: nil when the caller must use the journal instead: there are no blocks, or the file or the entity
    ///   cannot be read here.
    /// - Complexity: O(one block).
    func read(_ key: StoredKey) -> EntityReader.Answer? {
        phase.withLock { phase in
            do {
                if case .ready(let path, let index) = phase {
                    let connection = try ReadConnection(path: path, isImmutable: false)
                    let handle = connection.handle
                    let reader = try BlockReader(handle, index) { try DictionaryTable.read(handle).dictionaries[$0] }
                    phase = .open(Source(reader: reader, connection: connection))
                }
                guard case .open(let source) = phase else { return nil }
                let answer = BlockReads.answer(.success(try source.reader.entity(key)), key: key)
                if case .damaged = answer { return nil }
                return answer
            } catch {
                // The journal meets the same damage or error, and reports it.
                return nil
            }
        }
    }
}
