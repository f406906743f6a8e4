import TidemarkModel
import TidemarkStore

/// How often each of many values occurs, in their order.
struct ManyValues: Sendable {
    private var counts: [ByteString: (count: Int, node: ListNode)] = [:]
    /// The values in their order.
    private var order = OrderedList()

    init() {}

    /// The number of different values.
    var count: Int { counts.count }

    var least: [UInt8]? { order.isEmpty ? nil : order.sortKey(of: order.node(at: 0, among: .all)) }

    var greatest: [UInt8]? { order.last.map { order.sortKey(of: $0) } }

    /// Adds occurrences of a value, or takes them away; nothing is taken of an unknown value.
    ///
    /// - Complexity: O(log n).
    mutating func change(_ code: ByteString, by difference: Int) {
        guard let known = counts[code] else {
            guard difference > 0 else { return }
            let node = order.insert(
                ListHandle(0), sortKey: code.bytes, at: order.lowerBound(code.bytes, among: .all))
            counts[code] = (difference, node)
            return
        }
        if known.count + difference > 0 {
            counts[code] = (known.count + difference, known.node)
        } else {
            counts[code] = nil
            order.remove(known.node)
        }
    }

    /// An estimate of the bytes that the values take.
    var byteCount: Int { counts.reduce(0) { $0 + 2 * $1.key.bytes.count + 160 } }
}
