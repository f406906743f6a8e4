/// The median and the range of the values of several runs.
struct Spread: Codable, Hashable {
    var median: Double
    var min: Double
    var max: Double

    /// Computes the median and the range of values.
    ///
    /// - Parameter values: At least one value.
    init(_ values: [Double]) {
        median = values.median
        min = values.min() ?? .nan
        max = values.max() ?? .nan
    }

    /// Returns the spread with every value multiplied by a factor.
    func scaled(by factor: Double) -> Spread { Spread([min, median, max].map { $0 * factor }) }
}

extension [Double] {
    /// The median; for an even number of values, the upper one of the two in the middle.
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
