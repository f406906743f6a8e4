import TidemarkStore

/// The rows of a result in their order.
///
/// - Complexity: Every operation on one row is O(log n).
struct OrderedRows: Sendable {
    private struct Entry: Sendable {
        var number: RowNumber
        var node: ListNode
    }

    private var list = OrderedList()
    private var entries: [ResultKey: Entry] = [:]
    /// The keys by row number; nil for a free number.
    private var keys: [ResultKey?] = []
    private var free: [RowNumber] = []
    private var freeAfterChange: [RowNumber] = []
    /// The steps of the change so far; nil if there are more than one, which a window then finds by comparing.
    private(set) var steps: [RowStep]? = []

    init() {}

    var count: Int { entries.count }

    func number(of key: ResultKey) -> RowNumber? { entries[key]?.number }

    func key(of number: RowNumber) -> ResultKey? {
        Int(number) < keys.count ? keys[Int(number)] : nil
    }

    /// The index of a row; nil if the result has no such row.
    func index(of key: ResultKey) -> Int? { entries[key].map { list.index(of: $0.node, among: .all) } }

    /// The numbers of the rows in a window.
    ///
    /// - Complexity: O(window + log n).
    func numbers(offset: Int, limit: Int?) -> [RowNumber] {
        guard offset < count else { return [] }
        let end = limit.map { min($0, count - offset) + offset } ?? count
        return list.handles(in: offset..<end).map(\.rawValue)
    }

    /// The number of the row at an index of the result.
    func number(at index: Int) -> RowNumber { list.handles(in: index..<index + 1)[0].rawValue }

    /// Inserts a row, or moves it to another sort key.
    mutating func set(_ key: ResultKey, sortKey: [UInt8]) {
        if let entry = entries[key] {
            guard list.sortKey(of: entry.node) != sortKey else { return }
            let from = list.index(of: entry.node, among: .all)
            list.remove(entry.node)
            let node = insert(entry.number, sortKey)
            entries[key] = Entry(number: entry.number, node: node)
            note(RowStep(number: entry.number, from: from, to: list.index(of: node, among: .all)))
        } else {
            let number = takeNumber(key)
            let node = insert(number, sortKey)
            entries[key] = Entry(number: number, node: node)
            note(RowStep(number: number, from: nil, to: list.index(of: node, among: .all)))
        }
    }

    private mutating func insert(_ number: RowNumber, _ sortKey: [UInt8]) -> ListNode {
        list.insert(ListHandle(rawValue: number), sortKey: sortKey, at: list.lowerBound(sortKey, among: .all))
    }

    private mutating func takeNumber(_ key: ResultKey) -> RowNumber {
        if let number = free.popLast() {
            keys[Int(number)] = key
            return number
        }
        keys.append(key)
        return RowNumber(keys.count - 1)
    }

    mutating func remove(_ key: ResultKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        note(RowStep(number: entry.number, from: list.index(of: entry.node, among: .all), to: nil))
        list.remove(entry.node)
        keys[Int(entry.number)] = nil
        freeAfterChange.append(entry.number)
    }

    private mutating func note(_ step: RowStep) {
        guard let known = steps else { return }
        steps = known.isEmpty ? [step] : nil
    }

    /// Ends a change: the numbers of rows that left may be given to others.
    mutating func endChange() {
        steps = []
        free += freeAfterChange
        freeAfterChange.removeAll()
    }

    /// An estimate of the bytes that the rows take.
    var byteCount: Int { list.byteCount + count * 120 }
}
