import Foundation
import Tidemark

/// The folder for locks that are named after files' identities: a folder of one user, with mode 0700, which the system
/// clears between boots.
///
/// Writers that use different folders (another user, another `TMPDIR`) do not exclude each other here; the lock beside
/// the file excludes them.
struct LockFolder: Hashable, Sendable {
    /// The candidate folders, best first. The first usable one is used.
    let paths: [String]

    /// - Parameter environment: The environment of the process, of which `XDG_RUNTIME_DIR` is read.
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> LockFolder {
        var paths: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { paths.append("\(runtime)/tidemark") }
        let temporary = NSTemporaryDirectory()
        paths.append("\(temporary.hasSuffix("/") ? temporary : temporary + "/")tidemark-\(geteuid())")
        return LockFolder(paths: paths)
    }

    /// Returns the first folder that exists or can be created, and that no other user can change; nil when there is
    /// none.
    func usable() -> String? { paths.first { LockFolder.isOurs($0) } }

    /// Returns the first folder that exists and is usable, without creating one; nil when there is none.
    func existing() -> String? { paths.first { LockFolder.isOurs($0, makes: false) } }

    private static func isOurs(_ path: String, makes: Bool = true) -> Bool {
        // The result is ignored: the check below shows whether the folder exists.
        if makes { _ = mkdir(path, 0o700) }
        var status = stat()
        // A symbolic link could lead to another user's folder.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == geteuid() && status.st_mode & 0o077 == 0 && access(path, W_OK | X_OK) == 0
    }
}
