import Foundation

/// A folder for what a suite writes. Gone with the last who holds it.
final class ScratchFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("left behind: \(url.path)") }
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Takes a database away with everything that stands beside it.
    func removeDatabase(_ name: String) throws {
        for suffix in ["", "-wal", "-shm", "-lock"] {
            let path = path(name) + suffix
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
    }

    func byteCount(_ name: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.size] as? Int64) ?? 0
    }
}
