import Foundation

/// The limits for figures of a smoke run. They are wide enough for a slow machine, and narrow enough to detect a worse
/// order of growth.
struct Thresholds: Codable {
    struct Limit: Codable {
        /// The limit for the ratio to the reference; for a figure without a reference, for its value.
        var ratio: Double?
        /// The limit for the calls of the allocator per unit of work.
        var allocations: Double?
    }

    /// The limits by ``Figure/id``.
    var figures: [String: Limit]
    /// The limits for the instructions per event, by the raw value of a ``Count/Work``.
    var instructions: [String: Double]

    /// Reads the thresholds from a file.
    ///
    /// - Throws: ``BenchmarkError`` if the file is missing, or an error of the decoder.
    static func read(_ path: String) throws -> Thresholds {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("there is no file \(path)")
        }
        return try JSONDecoder().decode(Thresholds.self, from: data)
    }

    /// Returns every limit that a figure exceeds, and every limit without a figure.
    func failures(of results: Results) -> [String] {
        var failures: [String] = []
        let found = Dictionary(results.figures.map { ($0.id, $0) }) { first, _ in first }
        for (id, limit) in figures.sorted(by: { $0.key < $1.key }) {
            guard let figure = found[id] else {
                failures.append("\(id): was not measured")
                continue
            }
            if let ratio = limit.ratio, figure.judged > ratio {
                failures.append("\(id): \(FigureText.number(figure.judged)), at most \(FigureText.number(ratio))")
            }
            if let most = limit.allocations, let allocations = figure.allocations, allocations > most {
                failures.append(
                    "\(id): \(FigureText.number(allocations)) allocations, at most \(FigureText.number(most))")
            }
        }
        return failures
    }
}
