import Synchronization

/// The data files that journals of this process have open.
///
/// The system releases all locks of a process on a file as soon as the process closes any descriptor of it. SQLite
/// tracks its own descriptors. Code that opens the file without SQLite, or as immutable, must check here first.
///
/// Bound: one entry a journal.
enum FilesInUse {
    private static let files = Mutex<[FileIdentity: Int]>([:])

    static func contains(_ path: String) -> Bool {
        guard let identity = FileIdentity(path: path) else { return false }
        return files.withLock { $0[identity] != nil }
    }

    /// Marks a file as in use as long as this object lives; the last object removes the entry.
    final class Use: Sendable {
        private let identity: FileIdentity?

        init(_ path: String) {
            identity = FileIdentity(path: path)
            guard let identity else { return }
            files.withLock { $0[identity, default: 0] += 1 }
        }

        deinit {
            guard let identity else { return }
            files.withLock { files in
                let count = (files[identity] ?? 1) - 1
                files[identity] = count > 0 ? count : nil
            }
        }
    }
}
