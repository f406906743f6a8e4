import Foundation
import TidemarkGraphQLGenerator

/// Reads input files.
enum InputFile {
    /// Returns the content of a file.
    ///
    /// - Throws: ``GeneratorError`` with the file's path if it cannot be read.
    static func bytes(of path: String) throws(GeneratorError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw GeneratorError([
                GeneratorFinding(path: path, line: 1, column: 1, message: "The file cannot be read; check its path.")
            ])
        }
        return Array(data)
    }
}

/// The folder for generated files.
struct GeneratedFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Writes the files that have changed, each atomically, so that a compiler running meanwhile sees the old text or
    /// the new one.
    func write(_ files: [GeneratedFile]) throws(GeneratorError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw failure(path)
        }
        for file in files {
            let place = "\(path)/\(file.name)"
            let bytes = Foundation.Data(file.text.utf8)
            if FileManager.default.contents(atPath: place) == bytes { continue }
            do {
                try bytes.write(to: URL(fileURLWithPath: place), options: .atomic)
            } catch {
                throw failure(place)
            }
        }
    }

    private func failure(_ path: String) -> GeneratorError {
        GeneratorError([
            GeneratorFinding(
                path: path, line: 1, column: 1, message: "The file cannot be written; check the folder of --output.")
        ])
    }
}

enum StandardError {
    static func write(_ line: String) {
        FileHandle.standardError.write(Foundation.Data((line + "\n").utf8))
    }
}
