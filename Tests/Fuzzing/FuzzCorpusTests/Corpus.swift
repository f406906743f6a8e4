import Foundation
import FuzzTargets

/// The files of `Tests/Fuzzing/Corpora`.
enum Corpus {
    struct Input {
        /// The path from the package's root.
        var path: String
        var bytes: [UInt8]
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpora")

    /// Returns the names of folders and dictionaries.
    static func entries() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
    }

    static func inputs(of target: FuzzTarget) throws -> [Input] {
        let folder = folder.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            Input(
                path: "Tests/Fuzzing/Corpora/\(target.name)/\(name)",
                bytes: Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }
}
