import Foundation

/// A folder for one test, deleted with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let base = ProcessInfo.processInfo.environment["TIDEMARK_TEST_FOLDER"] ?? NSTemporaryDirectory()
        let url = URL(fileURLWithPath: base).appendingPathComponent("tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A folder that stays does not harm a test.
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String = "cache.db") -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
