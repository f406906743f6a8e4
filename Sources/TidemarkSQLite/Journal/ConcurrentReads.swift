import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads single entities on the caller's thread, beside a commit.
///
/// In a file of blocks it uses the writer's index, which changes after each COMMIT, so a read sees the state before or
/// after it.
///
/// Sendable by locking: only the thread that holds the lock uses the connection and its statements. A caller waits for
/// at most one read of each other caller.
final class ConcurrentReads: Sendable {
    /// The connection for reads of blocks, with its reader.
    fileprivate struct Blocks {
        // Declared before the connection, so that it is released first.
        var reader: BlockReader
        var connection: ReadConnection
    }

    /// The connection for reads of rows, with its reader and the dictionaries that it has read.
    fileprivate struct Rows {
        // Declared before the connection, so that it is released first.
        var reads: RowReads
        var connection: ReadConnection
        var dictionaries: [Int64: PayloadDictionary]
    }

    /// The state of the connection for reads.
    private enum Phase {
        /// The file is closed, or is being opened.
        case closed
        /// The first read opens the connection. The index is nil for a file of rows.
        case ready(path: String, BlockIndex?)
        /// The connection is open.
        case blocks(Blocks)
        case rows(Rows)
    }

    private let phase = Mutex(Phase.closed)

    /// Enables reads.
    ///
    /// - Parameter index: The index of blocks, once it is loaded; nil for a file of rows.
    func open(path: String, _ index: BlockIndex?) { phase.withLock { $0 = .ready(path: path, index) } }

    /// Disables reads, and closes the connection.
    func close() { phase.withLock { $0 = .closed } }

    /// True if reads are of blocks.
    var readsBlocks: Bool {
        phase.withLock { phase in
            switch phase {
            case .ready(_, .some), .blocks: true
            case .ready(_, nil), .rows, .closed: false
            }
        }
    }

    /// Reads an entity.
    ///
    /// - Returns: nil when the caller must use the journal instead, because the file or the entity cannot be read here.
    /// - Complexity: O(one block).
    func read(_ key: StoredKey) -> EntityReader.Answer? {
        phase.withLock { phase in
            do {
                if case .ready(let path, let index) = phase { phase = try ConcurrentReads.opened(path, index) }
                let answer: EntityReader.Answer
                switch phase {
                case .blocks(let source): answer = BlockReads.answer(.success(try source.reader.entity(key)), key: key)
                case .rows(var source):
                    answer = try source.read(key)
                    phase = .rows(source)
                case .closed, .ready: return nil
                }
                if case .damaged = answer { return nil }
                return answer
            } catch {
                // The journal meets the same damage or error, and reports it.
                return nil
            }
        }
    }

    private static func opened(_ path: String, _ index: BlockIndex?) throws -> Phase {
        let connection = try ReadConnection(path: path, isImmutable: false)
        let handle = connection.handle
        guard let index else {
            let reads = try RowReads(handle, decoder: try PayloadDecoder())
            let dictionaries = try DictionaryTable.read(handle).dictionaries
            return .rows(Rows(reads: reads, connection: connection, dictionaries: dictionaries))
        }
        let reader = try BlockReader(handle, index) { try DictionaryTable.read(handle).dictionaries[$0] }
        return .blocks(Blocks(reader: reader, connection: connection))
    }
}

extension ConcurrentReads.Rows {
    /// Reads an entity. One that was compressed with a dictionary of a later commit is read once more with it.
    fileprivate mutating func read(_ key: StoredKey) throws -> EntityReader.Answer {
        let answer = try reads.read(key, dictionaries)
        guard case .damaged = answer else { return answer }
        dictionaries = try DictionaryTable.read(connection.handle).dictionaries
        return try reads.read(key, dictionaries)
    }
}
