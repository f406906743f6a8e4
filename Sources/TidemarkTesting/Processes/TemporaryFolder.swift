import Foundation

/// A folder that is removed when its last owner releases it.
///
/// ```swift
/// let folder = try TemporaryFolder()
/// let path = try folder.write(Array("{}".utf8), to: "log.ndjson")
/// print(path, try folder.read("log.ndjson").count)
/// ```
public final class TemporaryFolder: Sendable {
    /// The absolute path of the folder.
    public let path: String

    /// Makes a folder in the system's temporary folder, which only the current user can read.
    ///
    /// - Throws: The error of the file system.
    public convenience init() throws {
        try self.init(in: FileManager.default.temporaryDirectory.path)
    }

    /// Makes a folder in another one, which only the current user can read.
    ///
    /// - Parameter parent: The path of a folder that exists.
    /// - Throws: The error of the file system.
    public init(in parent: String) throws {
        let url = URL(fileURLWithPath: parent).appendingPathComponent("tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = url.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // The system clears its temporary folder, so a folder that stays there does no harm.
            return
        }
    }

    /// Returns the path of a file in the folder, which need not exist.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file, replacing one of the same name.
    ///
    /// - Returns: The file's path.
    /// - Throws: The error of the file system.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Reads a whole file.
    ///
    /// - Throws: The error of the file system.
    public func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
