import Foundation

/// What figures of a smoke run may be at most. So wide that a slow machine does not fail them, so narrow that a lost order of growth does.
struct Thresholds: Codable {
    struct Limit: Codable {
        /// Of the ratio to the reference; of a figure without one, of its value.
        var ratio: Double?
        /// Calls of the allocator for each thing that a run went through.
        var allocations: Double?
    }

    /// By ``Figure/id``.
    var figures: [String: Limit]
    /// Instructions for each event, by what is counted (``Count/Work``).
    var instructions: [String: Double]

    static func read(_ path: String) throws -> Thresholds {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("there is no file \(path)")
        }
        return try JSONDecoder().decode(Thresholds.self, from: data)
    }

    /// Every limit that a figure is above, and every one that no figure belongs to.
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
