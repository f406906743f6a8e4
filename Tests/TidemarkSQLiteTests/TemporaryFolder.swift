import Foundation

/// A folder of its own for one test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let base = ProcessInfo.processInfo.environment["TIDEMARK_TEST_FOLDER"] ?? NSTemporaryDirectory()
        let url = URL(fileURLWithPath: base).appendingPathComponent("tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A folder that stays behind harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String = "cache.db") -> String { "\(path)/\(name)" }

    /// Names in the folder, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
