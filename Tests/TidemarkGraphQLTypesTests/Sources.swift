import Foundation

/// Files of the test's folder.
enum Sources {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// The files of a folder, in the order of their names.
    static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
    }
}
