import Foundation

/// Collects figures, and prints each of them as a row of a table or as a line of JSON.
struct Report {
    let isJSON: Bool
    /// Text that a figure's name must contain for the figure to be measured; nil measures all figures.
    let only: String?
    /// The figures so far.
    private(set) var results: Results
    private var suite = ""

    init(size: Results.Size, isJSON: Bool, only: String? = nil) {
        self.isJSON = isJSON
        self.only = only
        results = Results(size: size)
    }

    /// The figures that miss their goals.
    var missedGoals: [Figure] { results.figures.filter { $0.isMet == false } }

    /// Returns whether a figure is to be measured.
    func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

    /// Begins a suite, to which the next figures belong.
    mutating func begin(_ suite: String, _ text: String) {
        self.suite = suite
        guard !isJSON else { return }
        print("\(suite): \(text)")
        print(
            pad("figure", 34) + pad("median", 18) + pad("reference", 30) + pad("ratio (min … max)", 26)
                + pad("goal", 16) + pad("allocations", 13) + "hash")
    }

    /// Adds a figure that was timed with its reference.
    ///
    /// - Parameter place: The place of the figure on a curve.
    mutating func add(_ measurement: Measurement, place: Figure.Place? = nil) {
        let scale = 1e9 / Double(measurement.count)
        add(
            Figure(
                suite: suite, name: measurement.name, unit: "ns/\(measurement.unit)",
                value: Spread(measurement.seconds).scaled(by: scale), runCount: measurement.seconds.count,
                count: measurement.count,
                reference: Figure.Reference(
                    name: measurement.referenceName,
                    value: Spread(measurement.referenceSeconds).scaled(by: scale), ratio: Spread(measurement.ratios)),
                goal: measurement.goal, allocations: measurement.allocations, hash: String(measurement.hash, radix: 16),
                place: place))
    }

    /// Adds a figure without a reference, such as a ratio or a size, from the values of several runs.
    mutating func add(
        name: String, values: [Double], unit: String, goal: Double?, hash: UInt64, place: Figure.Place? = nil
    ) {
        add(
            Figure(
                suite: suite, name: name, unit: unit, value: Spread(values), runCount: values.count, goal: goal,
                hash: String(hash, radix: 16), place: place))
    }

    /// Adds a figure without a reference from a single value.
    mutating func add(
        name: String, value: Double, unit: String, goal: Double?, hash: UInt64, place: Figure.Place? = nil
    ) {
        add(name: name, values: [value], unit: unit, goal: goal, hash: hash, place: place)
    }

    /// Adds a size, with another size as its reference.
    mutating func add(
        name: String, values: [Double], unit: String, count: Int, referenceName: String, referenceValues: [Double],
        goal: Double?, hash: UInt64
    ) {
        let ratios = zip(values, referenceValues).map { $0 / $1 }
        add(
            Figure(
                suite: suite, name: name, unit: unit, value: Spread(values), runCount: values.count, count: count,
                reference: Figure.Reference(
                    name: referenceName, value: Spread(referenceValues), ratio: Spread(ratios)),
                goal: goal, hash: String(hash, radix: 16)))
    }

    private mutating func add(_ figure: Figure) {
        results.figures.append(figure)
        guard !isJSON else { return printJSON(figure) }
        let verdict = figure.goal.map { "≤ \(FigureText.number($0)) \(figure.isMet == true ? "met" : "MISSED")" } ?? "-"
        let reference = figure.reference.map { "\($0.name) \(FigureText.number($0.value.median))" } ?? ""
        print(
            pad(figure.name, 34) + pad("\(FigureText.number(figure.value.median)) \(figure.unit)", 18)
                + pad(reference, 30) + pad(figure.reference.map { FigureText.spread($0.ratio) } ?? "", 26)
                + pad(verdict, 16) + pad(figure.allocations.map { FigureText.number($0) } ?? "", 13) + figure.hash)
    }

    /// Prints a figure as one line of JSON.
    private func printJSON(_ figure: Figure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            print(String(decoding: try encoder.encode(figure), as: UTF8.self))
        } catch {
            preconditionFailure("\(figure.id) is no JSON: \(error)")
        }
    }

    private func pad(_ text: String, _ width: Int) -> String { FigureText.padded(text, width) }
}

/// Formats numbers for tables.
enum FigureText {
    /// Formats a number: without decimals from 100 on, else with two.
    static func number(_ value: Double) -> String {
        value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }

    /// Formats the median of several runs with their minimum and maximum.
    static func spread(_ spread: Spread) -> String {
        "\(number(spread.median)) (\(number(spread.min)) … \(number(spread.max)))"
    }

    /// Pads a text on the right with at least one space.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
