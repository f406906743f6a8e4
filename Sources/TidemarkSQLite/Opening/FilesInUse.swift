import Synchronization

/// The data files that journals of this process have open.
///
/// The system drops all locks that a process has on a file as soon as the process closes any descriptor of it. SQLite keeps account of
/// its own descriptors; whoever opens the file past SQLite, or as one that nobody changes, asks here first.
///
/// Bound: one entry a journal.
enum FilesInUse {
    private static let files = Mutex<[FileIdentity: Int]>([:])

    static func contains(_ path: String) -> Bool {
        guard let identity = FileIdentity(path: path) else { return false }
        return files.withLock { $0[identity] != nil }
    }

    /// One file for as long as it is open; the last one to go takes the entry along.
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
