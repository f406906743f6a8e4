import TidemarkModel

/// Names and the small numbers that stand for them, assigned once in order of arrival.
///
/// Bounded by `countMax`; past it ``index(of:)`` refuses new names.
struct NameTable {
    private let countMax: Int
    private(set) var names: [ByteString]
    private var indexes: [ByteString: UInt16] = [:]
    /// The number of names that the journal has.
    private var flushedCount: Int
    /// The name that was looked up last: events come in runs of one library and type.
    private var last: (name: [UInt8], index: UInt16)?

    init(recovered: [ByteString], countMax: Int) {
        self.countMax = min(countMax, Int(UInt16.max))
        names = recovered
        flushedCount = recovered.count
        for (index, name) in recovered.enumerated() { indexes[name] = UInt16(index) }
    }

    /// Returns the number of a name, which is assigned when it has none; nil when no number is left.
    ///
    /// - Complexity: O(n) for n bytes; no copy when the name was the last one looked up.
    @inline(__always)
    mutating func index(of name: UnsafeRawBufferPointer) -> UInt16? {
        if let last, last.name.withUnsafeBytes({ JSONText.haveEqualBytes($0, name) }) { return last.index }
        return lookUp(ByteString(name))
    }

    /// The number of the name that was looked up last; 0 before the first.
    var lastIndex: UInt16 { last?.index ?? 0 }

    /// Returns the number of a name; nil when it has none.
    func existingIndex(of name: ByteString) -> UInt16? {
        if let last, last.name == name.bytes { return last.index }
        return indexes[name]
    }

    private mutating func lookUp(_ name: ByteString) -> UInt16? {
        if let index = indexes[name] {
            last = (name.bytes, index)
            return index
        }
        guard names.count < countMax else { return nil }
        let index = UInt16(names.count)
        names.append(name)
        indexes[name] = index
        last = (name.bytes, index)
        return index
    }

    /// Whether some names are not in the journal.
    var hasNew: Bool { flushedCount < names.count }

    /// Returns the names that were added since the last call.
    mutating func takeNew() -> [(index: UInt16, name: ByteString)] {
        let new = (flushedCount..<names.count).map { (UInt16($0), names[$0]) }
        flushedCount = names.count
        return new
    }

    /// Marks every name as unwritten, because the journal lost its data.
    mutating func markAllNew() {
        flushedCount = 0
    }
}
