import Foundation

/// A folder that goes away with its last owner.
public final class TemporaryFolder: Sendable {
    /// Absolute.
    public let path: String

    /// - Throws: What the file system said.
    public convenience init() throws {
        try self.init(in: FileManager.default.temporaryDirectory.path)
    }

    /// - Parameter parent: A folder that exists.
    /// - Throws: What the file system said.
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
            // What is left in the system's temporary folder is the system's to clear.
            return
        }
    }

    /// The path of a file in the folder; it need not exist.
    public func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    /// - Throws: What the file system said.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Reads a file whole.
    ///
    /// - Throws: What the file system said.
    public func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
