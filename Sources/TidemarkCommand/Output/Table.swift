/// A table of rows under headings, with aligned columns.
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
    /// The rows, each with one cell per column.
    private var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row.
    ///
    /// - Parameter cells: One cell per column; control characters are replaced.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
        rows.append(cells.map { Printable.text($0) })
    }

    /// The maximum width to which a column is padded. A longer cell, such as an id of a kilobyte, is printed whole and
    /// shifts only its own line.
    private static let widthMax = 48

    /// Prints the table.
    ///
    /// - Parameter columnCountMax: The maximum length of a line; the last column is cut to fit. A line that a long cell
    ///   shifts may be longer.
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
