import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads single entities of a file of blocks on the thread of the caller, beside a commit.
///
/// The index is that of the writer, which changes it after its COMMIT: a read sees the state before or after it.
///
/// Sendable by locking: the connection and its statements are used by the thread that holds the lock. A caller waits
/// for one other read at most for each other caller.
final class ConcurrentReads: Sendable {
    private struct Source {
        // Before the connection, so that it ends first.
        var reader: BlockReader
        var connection: ReadConnection
    }

    private enum Phase {
        /// There are no blocks, or the file is closed.
        case closed
        /// The connection is opened by the first read.
        case ready(path: String, BlockIndex)
        case open(Source)
    }

    private let phase = Mutex(Phase.closed)

    /// Lets reads begin, after the index was made.
    func open(path: String, _ index: BlockIndex) { phase.withLock { $0 = .ready(path: path, index) } }

    /// Ends reads and closes the connection.
    func close() { phase.withLock { $0 = .closed } }

    /// Reads an entity.
    ///
    /// - Returns: The answer; nil when the caller has to ask the journal itself: there are no blocks, or the file or
    ///   the entity cannot be read here.
    /// - Complexity: One block.
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
                // The journal meets the same damage or error in its turn, and reports it.
                return nil
            }
        }
    }
}
