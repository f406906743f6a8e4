import Foundation

/// What a run of the harness found, as it is written to a file.
struct Results: Codable {
    enum Size: String, Codable {
        case full, smoke
    }

    static let formatVersion = 1

    var format = Results.formatVersion
    /// Seconds of the clock in the format of ISO 8601.
    var date: String
    /// What was built; with `+` behind it when files had been changed since. nil outside a repository.
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

    /// - Throws: ``BenchmarkError`` when it is none, or of another format.
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

/// Why a benchmark cannot say anything, in words for whoever runs it.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
