/// Compares two results by ratio, because machines differ, and one machine differs from hour to hour.
struct Comparison {
    /// A figure that both results have.
    struct Row {
        var id: String
        var unit: String
        var before: Double
        var after: Double
        /// The ratio of the two values; above 1 the figure became worse.
        var change: Double { after / before }
    }

    /// The figures that both results have, in the order of the later one.
    let rows: [Row]
    /// The figures that only one of the results has.
    let unmatched: [String]
    /// The figures with different hashes; they were not computed over the same input.
    let differing: [String]

    init(_ base: Results, _ results: Results) {
        let figures = Dictionary(base.figures.map { ($0.id, $0) }) { first, _ in first }
        var rows: [Row] = []
        var differing: [String] = []
        for figure in results.figures {
            guard let before = figures[figure.id] else { continue }
            if before.hash != figure.hash { differing.append(figure.id) }
            rows.append(
                Row(
                    id: figure.id,
                    unit: figure.reference == nil ? figure.unit : "times \(figure.reference?.name ?? "")",
                    before: before.judged, after: figure.judged))
        }
        self.rows = rows
        self.differing = differing
        let after = Set(results.figures.map(\.id))
        unmatched =
            base.figures.map(\.id).filter { !after.contains($0) }
            + results.figures.map(\.id).filter { figures[$0] == nil }
    }
}
