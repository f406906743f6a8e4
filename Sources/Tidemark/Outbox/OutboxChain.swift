import TidemarkModel
import TidemarkStore

/// The requests of one library and key, which are sent one after another in the order of their numbers.
struct OutboxChain {
    struct Name: Hashable {
        var library: ByteString
        /// The key; nil for the library's own queue.
        var key: ByteString?

        init(_ entry: OutboxEntry) {
            library = entry.library
            key = entry.sending.request.key
        }
    }

    /// The numbers in ascending order. Those before `start` have been removed.
    private var numbers: [Int64] = []
    private var start = 0
    /// The request under way; nil when there is none.
    var sending: Int64?
    /// The request that is offered for sending; nil when there is none.
    var offered: Int64?

    var first: Int64? { start < numbers.count ? numbers[start] : nil }
    var isEmpty: Bool { start == numbers.count }

    /// Returns the numbers above one.
    func numbers(after number: Int64) -> ArraySlice<Int64> { numbers[place(of: number + 1)...] }

    /// - Complexity: O(1) at the end, else O(n).
    mutating func insert(_ number: Int64) {
        let place = place(of: number)
        if place < numbers.count, numbers[place] == number { return }
        numbers.insert(number, at: place)
    }

    /// - Complexity: O(1) at the start, amortized; else O(n).
    mutating func remove(_ number: Int64) {
        let place = place(of: number)
        guard place < numbers.count, numbers[place] == number else { return }
        guard place == start else {
            numbers.remove(at: place)
            return
        }
        start += 1
        if start > 32, start * 2 > numbers.count {
            numbers.removeFirst(start)
            start = 0
        }
    }

    /// Returns the place of the first number that is not below `number`.
    private func place(of number: Int64) -> Int {
        var low = start
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
