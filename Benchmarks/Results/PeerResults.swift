import Foundation

/// The results of Tidemark and its alternatives on one input in one run, as `Benchmarks/Peers/run.py` writes them.
struct PeerResults: Codable {
    struct Peer: Codable {
        var name: String
        /// The description of the peer in one sentence.
        var about: String?
        /// The reason why the peer was not measured, or the error that it met.
        var skipped: String?
        /// The values by the raw value of their ``Column``; nil if the peer does not have the figure.
        var values: [String: Spread?] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            name = try container.decode(String.self, forKey: Key("name"))
            about = try container.decodeIfPresent(String.self, forKey: Key("about"))
            let failed = try container.decodeIfPresent(String.self, forKey: Key("failed"))
            skipped = try container.decodeIfPresent(String.self, forKey: Key("skipped")) ?? failed
            for column in Column.allCases {
                values[column.rawValue] = try container.decodeIfPresent(Spread.self, forKey: Key(column.rawValue))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: Key("name"))
            try container.encodeIfPresent(about, forKey: Key("about"))
            try container.encodeIfPresent(skipped, forKey: Key("skipped"))
            for (key, value) in values { try container.encode(value, forKey: Key(key)) }
        }
    }

    /// The columns of the table, in order.
    enum Column: String, CaseIterable {
        case load = "load_per_second"
        case update = "update_per_second"
        case latencyMedian = "latency_p50_us"
        case latencyTail = "latency_p99_us"
        case memory = "memory_bytes"
        case disk = "disk_bytes"
        case list = "list_ms"
        case unchangedList = "list_unchanged_ms"
        case optimistic = "optimistic_us"
        case coldStart = "cold_start_ms"

        /// The heading of the column.
        var title: String {
            switch self {
            case .load: "load, events/s"
            case .update: "updates, 100 observers, events/s"
            case .latencyMedian: "event → observer p50, µs"
            case .latencyTail: "p99, µs"
            case .memory: "memory, MB"
            case .disk: "disk, MB"
            case .list: "list of 1,000, ms"
            case .unchangedList: "unchanged, ms"
            case .optimistic: "optimistic + rollback, µs"
            case .coldStart: "cold start, ms"
            }
        }

        /// Formats a value in the unit of the heading.
        func text(_ value: Double) -> String {
            switch self {
            case .load, .update: "\(FigureText.number(value / 1_000)) k"
            case .memory, .disk: FigureText.number(value / 1e6)
            default: FigureText.number(value)
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var workload: String
    var rounds: Int
    var peers: [Peer]

    /// Reads the results from a file.
    ///
    /// - Throws: ``BenchmarkError`` if the file is missing, or an error of the decoder.
    static func read(_ path: String) throws -> PeerResults {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("there is no file \(path): run Benchmarks/Peers/run.py --out \(path) first")
        }
        return try JSONDecoder().decode(PeerResults.self, from: data)
    }
}

extension ResultsPage {
    /// Returns a Markdown table of the medians, and the reasons why peers were not measured.
    static func table(of results: PeerResults) -> String {
        let columns = PeerResults.Column.allCases
        var text = "Workload \(results.workload.prefix(12)), \(results.rounds) rounds in turns, medians.\n\n"
        text += "| | \(columns.map(\.title).joined(separator: " | ")) |\n"
        text += "|---|\(String(repeating: "---|", count: columns.count))\n"
        for peer in results.peers {
            guard peer.skipped == nil else { continue }
            let cells = columns.map { column in
                (peer.values[column.rawValue] ?? nil).map { column.text($0.median) } ?? "–"
            }
            text += "| \(peer.name) | \(cells.joined(separator: " | ")) |\n"
        }
        for peer in results.peers {
            if let skipped = peer.skipped { text += "\n\(peer.name) was not measured: \(skipped)\n" }
        }
        return text
    }
}
