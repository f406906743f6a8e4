import Foundation

/// A chart of figures relative to their goals: one bar for each figure, on a logarithmic scale with one line for all
/// goals.
struct Chart {
    private struct Bar {
        var name: String
        /// The figure divided by its goal.
        var share: Double
    }

    private let bars: [Bar]
    private let title: String

    private static let rowHeight = 22.0
    private static let nameWidth = 380.0
    private static let barWidth = 420.0
    private static let top = 48.0
    /// The decades of the scale: from a hundredth of the goal to ten times the goal.
    private static let decades = (below: 2.0, above: 1.0)

    init(_ results: Results) {
        bars = results.figures.compactMap { figure in
            figure.goal.map { Bar(name: figure.id, share: figure.judged / $0) }
        }
        title = "\(results.commit ?? "") on \(results.machine.processor), \(results.machine.coreCount) cores"
    }

    /// The chart as an SVG document.
    var svg: String {
        let height = Chart.top + Chart.rowHeight * Double(bars.count) + 16
        let width = Chart.nameWidth + Chart.barWidth + 80
        let goal = Chart.nameWidth + position(1)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="12">
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            <text x="8" y="20" font-size="14" fill="#222222">Figures over their goals: shorter is better, the line is the goal</text>
            <text x="8" y="38" fill="#666666">\(SVG.escaped(title))</text>

            """
        for (index, bar) in bars.enumerated() {
            let y = Chart.top + Chart.rowHeight * Double(index)
            let isMet = bar.share <= 1
            // The label is placed to the right of the goal's line, which would cross the number of a bar that nearly
            // reaches it.
            let label = max(Chart.nameWidth + position(bar.share), goal) + 6
            text += """
                <text x="\(Chart.nameWidth - 8)" y="\(y + 14)" text-anchor="end" fill="#222222">\(SVG.escaped(bar.name))</text>
                <rect x="\(Chart.nameWidth)" y="\(y + 3)" width="\(position(bar.share))" height="14" fill="\(isMet ? "#2f7d6b" : "#c2553a")"/>
                <text x="\(label)" y="\(y + 14)" fill="#666666">\(FigureText.number(bar.share))</text>

                """
        }
        text += """
            <line x1="\(goal)" y1="\(Chart.top - 4)" x2="\(goal)" y2="\(height - 12)" stroke="#222222" stroke-dasharray="4 3"/>
            </svg>

            """
        return text
    }

    /// Returns the horizontal position for a share of the goal.
    private func position(_ share: Double) -> Double {
        let decades = Chart.decades.below + Chart.decades.above
        let place = (log10(max(share, 1e-9)) + Chart.decades.below) / decades
        return (min(max(place, 0.005), 1) * Chart.barWidth * 10).rounded() / 10
    }
}
