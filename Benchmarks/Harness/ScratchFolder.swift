import Foundation

/// A folder for the files of a suite, which is deleted with this object.
final class ScratchFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { print("left behind: \(url.path)") }
    }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Removes a database and all files beside it.
    func removeDatabase(_ name: String) throws {
        for suffix in ["", "-wal", "-shm", "-lock"] {
            let path = path(name) + suffix
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
    }

    /// Returns the size of a file in the folder, in bytes.
    func byteCount(_ name: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.size] as? Int64) ?? 0
    }
}
