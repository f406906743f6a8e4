import TidemarkModel

/// Prints libraries as a table, the same way in every command.
enum LibraryListing {
    static func write(_ statuses: [LibraryStatus], to output: Output) throws(Failure) {
        var table = Table([
            .init(title: "LIBRARY"), .init(title: "STATE"), .init(title: "EPOCH"),
            .init(title: "SEQUENCE", alignment: .right), .init(title: "LOST"),
        ])
        for status in statuses {
            table.append([
                name(status.library), status.phase.rawValue,
                status.epoch.bytes.isEmpty ? "-" : status.epoch.description,
                status.cursor.map { String($0.rawValue) } ?? "-", lost(status.lost),
            ])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    /// Returns a library's id as shown to people; `(default)` for the empty id.
    static func name(_ library: ByteString) -> String {
        library.bytes.isEmpty ? "(default)" : library.description
    }

    private static func lost(_ ranges: [LostRange]) -> String {
        guard !ranges.isEmpty else { return "-" }
        return ranges.map { range in
            range.first == range.last ? "\(range.first.rawValue)" : "\(range.first.rawValue)–\(range.last.rawValue)"
        }.joined(separator: ", ")
    }
}
