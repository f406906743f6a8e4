import TidemarkStore

/// What one row adds to one aggregate.
enum AggregateInput: Hashable, Sendable {
    /// The row does not count.
    case nothing
    /// The row counts, without a value.
    case row
    /// The exact code of a value that is not null, with its canonical spelling where that may be shown.
    case value(code: [UInt8])
}

/// The state of one aggregate of one group. Rows can be added and taken away in any order.
struct AggregateState: Sendable {
    private let function: ViewAggregate.Function
    /// For `count` the rows, for `sum` and `avg` the numbers.
    private var count = 0
    private var sum = ExactSum()
    private var values = ValueCounts()

    init(_ function: ViewAggregate.Function) {
        self.function = function
    }

    mutating func add(_ input: AggregateInput) { apply(input, isRemoved: false) }

    mutating func remove(_ input: AggregateInput) { apply(input, isRemoved: true) }

    private mutating func apply(_ input: AggregateInput, isRemoved: Bool) {
        switch (function, input) {
        case (_, .nothing): break
        case (.count, .row), (.count, .value): count += isRemoved ? -1 : 1
        case (.sum, .value(let code)), (.avg, .value(let code)):
            guard let number = ShownDecimal(code: code), number.isSummand else { return }
            count += isRemoved ? -1 : 1
            sum.add(number, isRemoved: isRemoved)
        case (.countDistinct, .value(let code)): change(code, isRemoved)
        case (.min, .value(let code)), (.max, .value(let code)):
            if code.first != ValueCode.other { change(code, isRemoved) }
        case (.countDistinct, .row), (.sum, .row), (.avg, .row), (.min, .row), (.max, .row): break
        }
    }

    private mutating func change(_ code: [UInt8], _ isRemoved: Bool) {
        if isRemoved { values.remove(code) } else { values.add(code) }
    }

    /// The value as JSON; nil if the aggregate has none.
    var text: [UInt8]? {
        switch function {
        case .count: Array(String(count).utf8)
        case .countDistinct: Array(String(values.distinctCount).utf8)
        case .sum: sum.value.text
        case .avg: count == 0 ? nil : sum.value.divided(by: count).text
        case .min: values.least.map { CodeText.text($0) }
        case .max: values.greatest.map { CodeText.text($0) }
        }
    }

    /// An estimate of the bytes that the state takes beside its own fields.
    var byteCount: Int { sum.byteCount + values.byteCount }
}
