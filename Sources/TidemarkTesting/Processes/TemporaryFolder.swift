import Foundation

/// A folder that is deleted with its last owner.
public final class TemporaryFolder: Sendable {
    /// The absolute path of the folder.
    public let path: String

    /// - Throws: The error of the file system.
    public convenience init() throws {
        try self.init(in: FileManager.default.temporaryDirectory.path)
    }

    /// - Parameter parent: A folder that exists.
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

    /// The path of a file in the folder; the file need not exist.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file.
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
