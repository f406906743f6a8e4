/// The entities of a scope by their numbers: 12 bytes for each, and little besides.
///
/// Entries stand in ascending order in blocks, so that an insertion moves one block and a small scope is one array. A
/// dictionary takes between 16 and 32 bytes for each entity, for which half of its places are empty.
struct MemberTable: Sendable {
    /// When an entity entered, and when what is sent of it changed last.
    struct Member: Hashable, Sendable {
        let entered: ScopePosition
        var changed: ScopePosition
    }

    private struct Entry: Sendable {
        let number: UInt32
        var member: Member
    }

    /// A block of this size is split: moving it costs less than finding it.
    private static let blockCountMax = 512

    /// Ascending; no block is empty.
    private var blocks: [[Entry]] = []
    /// The number of entities.
    private(set) var count = 0

    init() {}

    /// Creates a table of entities that entered at the same time.
    ///
    /// - Parameter numbers: Ascending, each once.
    init(numbers: [UInt32], _ member: Member) {
        count = numbers.count
        for start in stride(from: 0, to: numbers.count, by: MemberTable.blockCountMax / 2) {
            let end = min(start + MemberTable.blockCountMax / 2, numbers.count)
            blocks.append(numbers[start..<end].map { Entry(number: $0, member: member) })
        }
    }

    /// The numbers, ascending.
    var numbers: some Sequence<UInt32> { blocks.lazy.joined().map(\.number) }

    /// - Complexity: O(log count) to read, and to write O(block).
    subscript(number: UInt32) -> Member? {
        get {
            guard let (block, index, isFound) = place(of: number), isFound else { return nil }
            return blocks[block][index].member
        }
        set {
            guard let (block, index, isFound) = place(of: number) else {
                if let newValue { insertFirst(Entry(number: number, member: newValue)) }
                return
            }
            switch (newValue, isFound) {
            case (let member?, true): blocks[block][index].member = member
            case (let member?, false): insert(Entry(number: number, member: member), block, index)
            case (nil, true): remove(block, index)
            case (nil, false): break
            }
        }
    }

    /// Removes an entity.
    ///
    /// - Returns: What was known of it; nil if it is not there.
    mutating func removeValue(forKey number: UInt32) -> Member? {
        let member = self[number]
        self[number] = nil
        return member
    }

    /// The place of a number, or the one where it belongs; nil in an empty table.
    private func place(of number: UInt32) -> (block: Int, index: Int, isFound: Bool)? {
        guard !blocks.isEmpty else { return nil }
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if blocks[middle][0].number <= number { low = middle } else { high = middle }
        }
        let block = low
        (low, high) = (0, blocks[block].count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[block][middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (block, low, low < blocks[block].count && blocks[block][low].number == number)
    }

    private mutating func insertFirst(_ entry: Entry) {
        blocks.append([entry])
        count = 1
    }

    private mutating func insert(_ entry: Entry, _ block: Int, _ index: Int) {
        blocks[block].insert(entry, at: index)
        count += 1
        guard blocks[block].count > MemberTable.blockCountMax else { return }
        let half = blocks[block].count / 2
        blocks.insert(Array(blocks[block][half...]), at: block + 1)
        blocks[block] = Array(blocks[block][..<half])
    }

    private mutating func remove(_ block: Int, _ index: Int) {
        blocks[block].remove(at: index)
        count -= 1
        if blocks[block].isEmpty { blocks.remove(at: block) }
    }
}
