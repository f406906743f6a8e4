import Foundation

/// The results of a run of the harness, in the form of their file.
struct Results: Codable {
    enum Size: String, Codable {
        case full, smoke
    }

    static let formatVersion = 1

    var format = Results.formatVersion
    /// The time of the run, in seconds, in the format of ISO 8601.
    var date: String
    /// The commit that was built, with `+` after it when files were changed; nil outside of a repository.
    var commit: String?
    var machine: Machine
    var size: Size
    var figures: [Figure] = []

    init(size: Size) {
        date = Date.now.formatted(.iso8601)
        commit = Machine.commit()
        machine = Machine.this()
        self.size = size
    }

    /// - Throws: ``BenchmarkError`` when the file is missing, has no results, or has another format.
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

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try (encoder.encode(self) + [UInt8(ascii: "\n")]).write(to: url)
    }
}

/// The reason why a benchmark cannot run or be read, for its user.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
