import Foundation

/// Prints figures as a table for people, or as one JSON object a line.
struct Report {
    let isJSON: Bool
    /// Part of the name of the figures that are wanted; nil: all.
    let only: String?
    private(set) var missedGoals: [String] = []

    init(isJSON: Bool, only: String? = nil) {
        self.isJSON = isJSON
        self.only = only
    }

    /// Whether a figure is to be measured at all.
    func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

    mutating func add(_ measurement: Measurement) {
        let ratio = measurement.ratios.median
        let nanoseconds = measurement.seconds.median * 1e9 / Double(measurement.count)
        let reference = measurement.referenceSeconds.median * 1e9 / Double(measurement.count)
        note(measurement.name, ratio, measurement.goal)
        let low = measurement.ratios.min() ?? .nan
        let high = measurement.ratios.max() ?? .nan
        if isJSON {
            print(
                "{\"name\":\"\(measurement.name)\",\"unit\":\"\(measurement.unit)\",\"n\":\(measurement.count),"
                    + "\"runs\":\(measurement.seconds.count),\"ns\":\(number(nanoseconds)),"
                    + "\"reference\":\"\(measurement.referenceName)\",\"reference_ns\":\(number(reference)),"
                    + "\"ratio\":{\"median\":\(number(ratio)),\"min\":\(number(low)),\"max\":\(number(high))},"
                    + "\"goal\":\(measurement.goal.map(number) ?? "null"),\"hash\":\"\(String(measurement.hash, radix: 16))\"}"
            )
        } else {
            line(
                measurement.name, "\(number(nanoseconds)) ns/\(measurement.unit)",
                "\(measurement.referenceName) \(number(reference))",
                "\(number(ratio)) (\(number(low)) … \(number(high)))", measurement.goal, ratio,
                String(measurement.hash, radix: 16))
        }
    }

    /// A figure that is a ratio or a size by itself.
    mutating func add(name: String, value: Double, unit: String, goal: Double?, hash: UInt64) {
        note(name, value, goal)
        if isJSON {
            print(
                "{\"name\":\"\(name)\",\"unit\":\"\(unit)\",\"value\":\(number(value)),"
                    + "\"goal\":\(goal.map(number) ?? "null"),\"hash\":\"\(String(hash, radix: 16))\"}")
        } else {
            line(name, "", "", "\(number(value)) \(unit)", goal, value, String(hash, radix: 16))
        }
    }

    func header(_ text: String) {
        if !isJSON {
            print(text)
            print(
                pad("figure", 30) + pad("median", 20) + pad("reference, ns", 30) + pad("ratio (min … max)", 26)
                    + pad("goal", 14) + "hash")
        }
    }

    private mutating func note(_ name: String, _ value: Double, _ goal: Double?) {
        if let goal, value > goal { missedGoals.append(name) }
    }

    private func line(
        _ name: String, _ median: String, _ reference: String, _ ratio: String, _ goal: Double?, _ value: Double,
        _ hash: String
    ) {
        let verdict = goal.map { "≤ \(number($0)) \(value <= $0 ? "met" : "MISSED")" } ?? "-"
        print(pad(name, 30) + pad(median, 20) + pad(reference, 30) + pad(ratio, 26) + pad(verdict, 14) + hash)
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private func number(_ value: Double) -> String {
        value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}
