import TidemarkTesting

/// Lists over the store as they should be, made anew each time.
struct NaiveLists {
    struct Row {
        var n: Int
        var w: Int

        func text(_ id: Int) -> String { #"{"id":"k\#(id)","n":\#(n),"w":\#(w)}"# }
    }

    enum Step {
        case put(Row)
        case patch(n: Int)
        case delete
    }

    struct Rule {
        var limit: Int?
        var w: Int?
        var isDescending: Bool

        init(_ random: inout SeededGenerator) {
            limit = random.pick([1, 3, 3, 10, 40, nil])
            w = random.pick([nil, nil, 1])
            isDescending = random.chance(500)
        }

        var text: String {
            #"{"resource_type":"file","order":[{"path":"/n","direction":"\#(isDescending ? "desc" : "asc")"}]"#
                + (w.map { #","where":{"path":"/w","eq":\#($0)}"# } ?? "") + (limit.map { #","limit":\#($0)"# } ?? "")
                + "}"
        }
    }

    let rules: [Rule]
    var base: [Int: Row] = [:]
    /// The oldest first.
    var layers: [(name: String, steps: [(id: Int, step: Step)])] = []

    init(rules: [Rule]) { self.rules = rules }

    func isLayered(_ id: Int) -> Bool { layers.contains { $0.steps.contains { $0.id == id } } }

    func visible(_ id: Int) -> Row? {
        var row = base[id]
        for layer in layers {
            for (_, step) in layer.steps.filter({ $0.id == id }) {
                switch step {
                case .put(let new): row = new
                case .patch(let n): row?.n = n
                case .delete: row = nil
                }
            }
        }
        return row
    }

    /// Every id that belongs to a list, limit or not.
    func all(_ list: Int) -> [Int] {
        let rule = rules[list]
        let ids = Set(base.keys).union(layers.flatMap { $0.steps.map(\.id) })
        let rows = ids.compactMap { id in visible(id).map { (id: id, row: $0) } }
        return rows.filter { rule.w == nil || $0.row.w == rule.w }.sorted { one, other in
            if one.row.n != other.row.n { return (one.row.n < other.row.n) != rule.isDescending }
            return Array("k\(one.id)".utf8).lexicographicallyPrecedes(Array("k\(other.id)".utf8))
        }.map(\.id)
    }

    func list(_ list: Int) -> [String] {
        all(list).prefix(rules[list].limit ?? .max).compactMap { id in visible(id).map { $0.text(id) } }
    }
}
