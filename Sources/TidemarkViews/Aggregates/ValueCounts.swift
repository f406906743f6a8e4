import TidemarkStore

/// How often each value occurs, with the least and the greatest: for aggregates from which rows are taken again.
///
/// A value that leaves may be the least, and then the next one has to be known.
struct ValueCounts: Sendable {
    private var counts: [[UInt8]: (count: Int, node: ListNode)] = [:]
    /// The values in their order.
    private var order = OrderedList()

    init() {}

    /// The number of different values.
    var distinctCount: Int { counts.count }

    var least: [UInt8]? { order.isEmpty ? nil : order.sortKey(of: order.node(at: 0, among: .all)) }

    var greatest: [UInt8]? { order.last.map { order.sortKey(of: $0) } }

    /// Adds an occurrence of a value, given as its code.
    ///
    /// - Complexity: O(log n).
    mutating func add(_ code: [UInt8]) {
        if let known = counts[code] {
            counts[code] = (known.count + 1, known.node)
            return
        }
        let node = order.insert(ListHandle(0), sortKey: code, at: order.lowerBound(code, among: .all))
        counts[code] = (1, node)
    }

    /// Removes one occurrence of a value; an unknown value changes nothing.
    mutating func remove(_ code: [UInt8]) {
        guard let known = counts[code] else { return }
        if known.count > 1 {
            counts[code] = (known.count - 1, known.node)
        } else {
            counts[code] = nil
            order.remove(known.node)
        }
    }

    /// An estimate of the bytes that the values take.
    var byteCount: Int { counts.reduce(0) { $0 + 2 * $1.key.count + 160 } }
}
