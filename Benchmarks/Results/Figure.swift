/// One figure of a run: what was measured, beside what, and what it should be.
struct Figure: Codable {
    /// What the figure is compared with, timed in turns with it.
    struct Reference: Codable {
        var name: String
        var value: Spread
        /// Run by run, the figure over the reference.
        var ratio: Spread
    }

    /// The place of a figure on a curve: how a price goes with a size.
    struct Place: Codable {
        var curve: String
        /// What grows, and how large it is here.
        var parameter: String
        var size: Double
    }

    var suite: String
    var name: String
    /// `ns/event`, `bytes`, `µs`; of a figure with a reference, of both.
    var unit: String
    var value: Spread
    var runCount: Int
    /// What one run went through; nil for a figure that is no price.
    var count: Int?
    var reference: Reference?
    /// At most so much: the ratio where there is a reference, else the value.
    var goal: Double?
    /// Calls of the allocator for each thing that a run went through; nil where the platform does not count them.
    var allocations: Double?
    /// Depends on everything that was computed; equal wherever the input was equal.
    var hash: String
    var place: Place?

    /// What the goal is about.
    var judged: Double { reference?.ratio.median ?? value.median }

    /// nil: there is no goal.
    var isMet: Bool? { goal.map { judged <= $0 } }

    var id: String { "\(suite): \(name)" }
}
