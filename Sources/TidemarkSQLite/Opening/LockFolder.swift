import Foundation
import Tidemark

/// Where locks that are named by files' identities lie: a folder of one user, mode 0700, that goes with the machine's run.
///
/// Writers that disagree about the place (another user, another `TMPDIR`) do not meet there; they meet at the lock beside the file.
struct LockFolder: Hashable, Sendable {
    /// Candidates, the best first; the first that can be used is.
    let paths: [String]

    /// - Parameter environment: Of the process: `XDG_RUNTIME_DIR`, and the temporary folder.
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> LockFolder {
        var paths: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { paths.append("\(runtime)/tidemark") }
        let temporary = NSTemporaryDirectory()
        paths.append("\(temporary.hasSuffix("/") ? temporary : temporary + "/")tidemark-\(geteuid())")
        return LockFolder(paths: paths)
    }

    /// The first folder that is there, or can be made, and that nobody else can change.
    func usable() -> String? { paths.first { LockFolder.isOurs($0) } }

    /// The first that is there already and can be used; nothing is made.
    func existing() -> String? { paths.first { LockFolder.isOurs($0, makes: false) } }

    private static func isOurs(_ path: String, makes: Bool = true) -> Bool {
        // Its result says no more than the look that follows.
        if makes { _ = mkdir(path, 0o700) }
        var status = stat()
        // A symbolic link may be somebody else's.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == geteuid() && status.st_mode & 0o077 == 0 && access(path, W_OK | X_OK) == 0
    }
}
