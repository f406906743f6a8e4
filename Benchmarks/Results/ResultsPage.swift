import Foundation

/// A page with places for results, which are between `<!-- name -->` and `<!-- /name -->`.
struct ResultsPage {
    private(set) var text: String
    private let path: String

    init(_ text: String, path: String) {
        self.text = text
        self.path = path
    }

    /// Replaces the content of a place.
    ///
    /// - Throws: ``BenchmarkError`` if the page does not have this place exactly once.
    mutating func replace(_ name: String, with content: String) throws {
        let (begin, end) = ("<!-- \(name) -->\n", "<!-- /\(name) -->")
        let parts = text.components(separatedBy: begin)
        guard parts.count == 2, let close = parts[1].range(of: end) else {
            throw BenchmarkError("\(path) needs \(begin) and \(end) once")
        }
        text = parts[0] + begin + content + parts[1][close.lowerBound...]
    }

    /// Returns the Markdown of all figures, with a table for each suite.
    static func tables(of results: Results) -> String {
        let gigabytes = Double(results.machine.memoryByteCount) / 1e9
        var text = """
            \(results.date), commit \(results.commit ?? "unknown"), \(results.machine.processor), \(results.machine.coreCount) cores, \
            \(FigureText.number(gigabytes)) GB, \(results.machine.system), \(results.machine.toolchain). Medians, and the span of all runs.

            ![Figures beside their goals](benchmarks.svg)

            """
        var suites: [String] = []
        for figure in results.figures where suites.last != figure.suite { suites.append(figure.suite) }
        for suite in suites {
            text += """

                ### \(suite)

                | figure | median | reference | ratio | goal | allocations |
                |---|---|---|---|---|---|

                """
            for figure in results.figures where figure.suite == suite { text += row(of: figure) }
        }
        return text
    }

    private static func row(of figure: Figure) -> String {
        var cells = [figure.name, "\(FigureText.number(figure.value.median)) \(figure.unit)"]
        if let reference = figure.reference {
            cells.append("\(reference.name): \(FigureText.number(reference.value.median))")
            cells.append(FigureText.spread(reference.ratio))
        } else {
            cells += ["", ""]
        }
        let verdict = figure.isMet == true ? "met" : "**missed**"
        cells.append(figure.goal.map { "≤ \(FigureText.number($0)) \(verdict)" } ?? "")
        cells.append(figure.allocations.map { FigureText.number($0) } ?? "")
        return "| \(cells.joined(separator: " | ")) |\n"
    }
}
