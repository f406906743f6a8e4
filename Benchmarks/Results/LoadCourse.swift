import Foundation

/// A chart of the speed during loads: for each store and size, a line with ten points.
struct LoadCourse {
    private struct Line {
        var name: String
        /// The speed in each tenth of the load, in thousands of events a second.
        var speeds: [Double]
    }

    private let lines: [Line]
    private let title: String

    private static let prefix = "load of "
    private static let colours = ["#2f7d6b", "#c2553a", "#4a6fa5", "#b08a2e", "#7a5195", "#5b8c3a"]
    private static let (width, height, left, top, bottom) = (720.0, 380.0, 64.0, 52.0, 40.0)
    private static let plotWidth = 460.0

    /// Returns the name of the curve for the tenths of a store's load.
    static func curve(of store: String, entityCount: Int) -> String {
        "\(prefix)\(entityCount.formatted(.number.locale(Locale(identifier: "en_US")))) entities, \(store)"
    }

    /// Collects the figures of loads; nil if the results have none.
    init?(_ results: Results) {
        var lines: [Line] = []
        for figure in results.figures {
            guard let place = figure.place, place.curve.hasPrefix(LoadCourse.prefix), figure.value.median > 0 else {
                continue
            }
            let name = String(place.curve.dropFirst(LoadCourse.prefix.count))
            if lines.last?.name != name, !lines.contains(where: { $0.name == name }) {
                lines.append(Line(name: name, speeds: []))
            }
            guard let line = lines.firstIndex(where: { $0.name == name }) else { continue }
            lines[line].speeds.append(1e6 / figure.value.median)
        }
        guard !lines.isEmpty else { return nil }
        self.lines = lines
        title = "\(results.commit ?? "") on \(results.machine.processor), \(results.machine.coreCount) cores"
    }

    /// The chart as an SVG document.
    var svg: String {
        let highest = max(lines.flatMap(\.speeds).max() ?? 1, 1)
        let step = LoadCourse.step(for: highest)
        let top = (highest / step).rounded(.up) * step
        let plotHeight = LoadCourse.height - LoadCourse.top - LoadCourse.bottom
        func x(_ index: Int) -> Double { LoadCourse.left + LoadCourse.plotWidth * Double(index) / 9 }
        func y(_ speed: Double) -> Double { LoadCourse.top + plotHeight * (1 - speed / top) }
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(LoadCourse.width) \(LoadCourse.height)" \
            font-family="sans-serif" font-size="12">
            <rect width="\(LoadCourse.width)" height="\(LoadCourse.height)" fill="#ffffff"/>
            <text x="8" y="20" font-size="14" fill="#222222">Thousands of new entities a second, over the course of a load\
            </text>
            <text x="8" y="38" fill="#666666">\(SVG.escaped(title))</text>

            """
        for mark in stride(from: 0, through: top, by: step) {
            text += """
                <line x1="\(LoadCourse.left)" y1="\(SVG.tenths(y(mark)))" x2="\(LoadCourse.left + LoadCourse.plotWidth)" \
                y2="\(SVG.tenths(y(mark)))" stroke="#dddddd"/>
                <text x="\(LoadCourse.left - 8)" y="\(SVG.tenths(y(mark) + 4))" text-anchor="end" fill="#666666">\
                \(Int(mark))</text>

                """
        }
        for tenth in 0..<10 {
            text += """
                <text x="\(SVG.tenths(x(tenth)))" y="\(LoadCourse.height - 16)" text-anchor="middle" fill="#666666">\
                \((tenth + 1) * 10) %</text>

                """
        }
        for (index, line) in lines.enumerated() {
            let colour = LoadCourse.colours[index % LoadCourse.colours.count]
            let points = line.speeds.enumerated().map { "\(SVG.tenths(x($0))),\(SVG.tenths(y($1)))" }
            let label = LoadCourse.top + 16 * Double(index) + 8
            text += """
                <polyline points="\(points.joined(separator: " "))" fill="none" stroke="\(colour)" stroke-width="2"/>
                <text x="\(LoadCourse.left + LoadCourse.plotWidth + 12)" y="\(label)" fill="\(colour)">\
                \(SVG.escaped(line.name))</text>

                """
        }
        return text + "</svg>\n"
    }

    /// Returns the distance between marks on the axis, so that there are five to ten of them.
    private static func step(for highest: Double) -> Double {
        let decade = pow(10, floor(log10(highest)))
        return highest / decade > 5 ? decade : highest / decade > 2 ? decade / 2 : decade / 5
    }
}

/// Formats text and numbers for SVG.
enum SVG {
    /// Escapes `&` and `<`.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// Rounds to one decimal.
    static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
