/// Where the values of several runs lie.
struct Spread: Codable, Hashable {
    var median: Double
    var min: Double
    var max: Double

    /// - Parameter values: At least one.
    init(_ values: [Double]) {
        median = values.median
        min = values.min() ?? .nan
        max = values.max() ?? .nan
    }

    /// Every value times a factor.
    func scaled(by factor: Double) -> Spread { Spread([min, median, max].map { $0 * factor }) }
}

extension [Double] {
    /// The value in the middle; of an even number the upper one of the two.
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
