/// The durations of many operations, in nanoseconds.
struct Latencies {
    private var values: [Int64]

    init(_ values: [Int64] = []) {
        self.values = values
    }

    /// The number of durations.
    var count: Int { values.count }

    /// Adds durations in nanoseconds.
    mutating func append(_ other: [Int64]) { values += other }

    /// Adds p50, p99 and the maximum to a report, in microseconds.
    ///
    /// - Parameter goal: The goal for p99.
    func report(_ name: String, goal: Double? = nil, hash: UInt64, into report: inout Report) {
        let sorted = values.sorted()
        func microseconds(_ share: Double) -> Double {
            guard let last = sorted.last else { return .nan }
            let index = Int(Double(sorted.count) * share)
            return Double(index < sorted.count ? sorted[index] : last) / 1_000
        }
        report.add(name: "\(name), p50", value: microseconds(0.5), unit: "µs", goal: nil, hash: hash)
        report.add(name: "\(name), p99", value: microseconds(0.99), unit: "µs", goal: goal, hash: hash)
        report.add(name: "\(name), max", value: microseconds(1), unit: "µs", goal: nil, hash: hash)
    }
}
