/// One figure of a run, with its reference and its goal.
struct Figure: Codable {
    /// The reference of a figure, timed in turns with it.
    struct Reference: Codable {
        var name: String
        var value: Spread
        /// The ratio of figure to reference in each run.
        var ratio: Spread
    }

    /// The place of a figure on a curve that shows how a cost depends on a size.
    struct Place: Codable {
        var curve: String
        /// The name of the parameter that grows; `size` is its value here.
        var parameter: String
        var size: Double
    }

    var suite: String
    /// The name, unique in the suite.
    var name: String
    /// The unit: `ns/event`, `bytes`, `µs`; it is also the unit of the reference.
    var unit: String
    var value: Spread
    /// The number of counted runs.
    var runCount: Int
    /// The number of units of work in one run; nil for a figure that is not a cost.
    var count: Int?
    var reference: Reference?
    /// The maximum allowed value: of the ratio when there is a reference, else of the figure.
    var goal: Double?
    /// The calls of the allocator per unit of work; nil if the platform cannot count them.
    var allocations: Double?
    /// A hash of everything that was computed; it is equal whenever the input was equal.
    var hash: String
    var place: Place?

    /// The value that the goal limits.
    var judged: Double { reference?.ratio.median ?? value.median }

    /// Whether the goal is met; nil without a goal.
    var isMet: Bool? { goal.map { judged <= $0 } }

    /// The suite and the name, unique in a run.
    var id: String { "\(suite): \(name)" }
}
