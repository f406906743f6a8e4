import Foundation

/// The results of a run, in the form in which a file stores them.
struct Results: Codable {
    enum Size: String, Codable {
        case full, smoke
    }

    static let formatVersion = 1

    var format = Results.formatVersion
    /// The time of the run in ISO 8601, to the second.
    var date: String
    /// The commit that was built, with `+` after it when files were changed; nil outside of a repository.
    var commit: String?
    var machine: Machine
    var size: Size
    var figures: [Figure] = []

    /// Creates results without figures, for this machine and the current time.
    init(size: Size) {
        date = Date.now.formatted(.iso8601)
        commit = Machine.commit()
        machine = Machine.this()
        self.size = size
    }

    /// Reads results from a file.
    ///
    /// - Throws: ``BenchmarkError`` if the file is missing, has no results, or has another format.
    static func read(_ path: String) throws -> Results {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("there is no file \(path): run tidemark-bench with --out \(path) first")
        }
        do {
            let results = try JSONDecoder().decode(Results.self, from: data)
            guard results.format == formatVersion else {
                throw BenchmarkError("\(path) has format \(results.format), and this is \(formatVersion)")
            }
            return results
        } catch let error as DecodingError {
            throw BenchmarkError("\(path) holds no results: \(error)")
        }
    }

    /// Writes the results to a file, and creates its folder if needed.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try (encoder.encode(self) + [UInt8(ascii: "\n")]).write(to: url)
    }
}

/// The reason why a benchmark cannot run, or its results cannot be read.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
