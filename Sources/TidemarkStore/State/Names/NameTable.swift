import TidemarkJSON
import TidemarkModel

/// A table of names and their small numbers, assigned once in the order of arrival.
///
/// At most `countMax` names; past it ``admit(_:)`` refuses new ones.
struct NameTable<Index: TypedIndex> {
    private let countMax: Int
    private(set) var names: [ByteString]
    private var indexes: [ByteString: Index] = [:]
    /// How many names the journal has.
    private var flushedCount: Int
    /// The name that was looked up last. Consecutive events mostly have the same library and type.
    private var last: (name: [UInt8], index: Index)?

    init(recovered: [ByteString], countMax: Int) {
        self.countMax = min(countMax, Int(Index.RawValue.max))
        names = recovered
        flushedCount = recovered.count
        for (index, name) in recovered.enumerated() { indexes[name] = Index(index) }
    }

    /// Returns the name with a number.
    ///
    /// - Precondition: This table assigned the number.
    subscript(index: Index) -> ByteString { names[Int(index)] }

    /// Returns the number of a name, and assigns one to a new name; nil if none is left.
    ///
    /// - Complexity: O(n) for n bytes; no copy if the name was the last one looked up.
    @inline(__always)
    mutating func admit(_ name: UnsafeRawBufferPointer) -> Index? {
        if let last, last.name.withUnsafeBytes({ JSONText.haveEqualBytes($0, name) }) { return last.index }
        return lookUp(ByteString(name))
    }

    /// The number of the name that was looked up last; 0 before the first.
    var lastIndex: Index { last?.index ?? 0 }

    /// Returns the number of a name; nil if it has none.
    func index(of name: ByteString) -> Index? {
        if let last, last.name == name.bytes { return last.index }
        return indexes[name]
    }

    private mutating func lookUp(_ name: ByteString) -> Index? {
        if let index = indexes[name] {
            last = (name.bytes, index)
            return index
        }
        guard names.count < countMax else { return nil }
        let index = Index(names.count)
        names.append(name)
        indexes[name] = index
        last = (name.bytes, index)
        return index
    }

    /// True if the journal lacks some names.
    var hasNew: Bool { flushedCount < names.count }

    /// Returns the names that were added since the last call.
    mutating func drainNew() -> [(index: Index, name: ByteString)] {
        let new = (flushedCount..<names.count).map { (Index($0), names[$0]) }
        flushedCount = names.count
        return new
    }

    /// Marks every name as unwritten, because the journal lost its data.
    mutating func markAllNew() {
        flushedCount = 0
    }
}
