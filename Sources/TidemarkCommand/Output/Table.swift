/// Rows under headings, in columns that line up.
struct Table {
    enum Alignment {
        case left
        case right
    }

    struct Column {
        var title: String
        var alignment = Alignment.left
    }

    private let columns: [Column]
    /// Each as long as `columns`.
    private var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// - Parameter cells: One for each column; made printable here.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
        rows.append(cells.map { Printable.text($0) })
    }

    /// Characters that a column is padded to at most. One cell may be a kilobyte, as an id may: it is shown whole, and moves its own line
    /// alone.
    private static let widthMax = 48

    /// - Parameter columnCountMax: The last column is cut so that no line is longer, but for lines that a long cell moved.
    func write(to output: Output, columnCountMax: Int) throws(Failure) {
        var widths = columns.map(\.title.count)
        for row in rows {
            for (index, cell) in row.enumerated() {
                widths[index] = max(widths[index], min(cell.count, Table.widthMax))
            }
        }
        let lastWidth = max(8, columnCountMax - widths.dropLast().reduce(0) { $0 + $1 + 2 })
        try output.writeLine(output.style.paint(line(columns.map(\.title), widths, lastWidth), .bold))
        for row in rows { try output.writeLine(line(row, widths, lastWidth)) }
    }

    private func line(_ cells: [String], _ widths: [Int], _ lastWidth: Int) -> String {
        var result = ""
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            let shown = isLast ? Printable.excerpt(cell, count: lastWidth) : cell
            let padding = String(repeating: " ", count: max(0, widths[index] - shown.count))
            switch columns[index].alignment {
            case .left: result += isLast ? shown : shown + padding + "  "
            case .right: result += padding + shown + (isLast ? "" : "  ")
            }
        }
        return result
    }
}
