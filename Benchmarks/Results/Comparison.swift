/// Two results beside each other, by ratio: machines differ, and so does one machine from hour to hour.
struct Comparison {
    struct Row {
        var id: String
        var unit: String
        var before: Double
        var after: Double
        /// Above 1 it became worse.
        var change: Double { after / before }
    }

    /// Figures of both, in the order of the later one.
    let rows: [Row]
    /// Figures that only one of them has.
    let unmatched: [String]
    /// Figures whose result is another one: they were not computed over the same input.
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
