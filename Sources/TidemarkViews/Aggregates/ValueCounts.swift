import TidemarkModel
import TidemarkStore

/// How often each value occurs, with the least and the greatest: for aggregates from which rows are taken again.
///
/// A value that leaves may be the least, and then the next one has to be known. Few values are a sorted array, which
/// takes a fifth of the memory; many are a tree, in which one value costs O(log n).
struct ValueCounts: Sendable {
    /// The most values that are kept as an array.
    private static let fewCountMax = 256

    /// The values in their order, as long as they are few; otherwise empty.
    private var few: [(code: ByteString, count: Int)] = []
    private var many: ManyValues?

    init() {}

    /// The number of different values.
    var distinctCount: Int { many?.count ?? few.count }

    var least: [UInt8]? {
        guard let many else { return few.first?.code.bytes }
        return many.least
    }

    var greatest: [UInt8]? {
        guard let many else { return few.last?.code.bytes }
        return many.greatest
    }

    /// Adds an occurrence of a value, given as its code.
    ///
    /// - Complexity: O(log n) for many values, O(n) for few.
    mutating func add(_ code: [UInt8]) {
        if many != nil {
            many?.change(ByteString(code), by: 1)
            return
        }
        let place = place(of: code)
        if place < few.count, ByteOrder.equal(few[place].code.bytes, code) {
            few[place].count += 1
            return
        }
        few.insert((ByteString(code), 1), at: place)
        guard few.count > ValueCounts.fewCountMax else { return }
        var values = ManyValues()
        for value in few { values.change(value.code, by: value.count) }
        many = values
        few = []
    }

    /// Removes one occurrence of a value; an unknown value changes nothing.
    mutating func remove(_ code: [UInt8]) {
        if many != nil {
            many?.change(ByteString(code), by: -1)
            return
        }
        let place = place(of: code)
        guard place < few.count, ByteOrder.equal(few[place].code.bytes, code) else { return }
        if few[place].count > 1 { few[place].count -= 1 } else { few.remove(at: place) }
    }

    /// The number of few values that precede a code.
    private func place(of code: [UInt8]) -> Int {
        var bounds = 0..<few.count
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            bounds =
                ByteOrder.precedes(few[middle].code.bytes, code)
                ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return bounds.lowerBound
    }

    /// An estimate of the bytes that the values take.
    var byteCount: Int { many?.byteCount ?? few.reduce(few.capacity * 16) { $0 + $1.code.bytes.count + 48 } }
}
