import TidemarkStore

/// The sort key of a new row's key in the table `keys`, small enough to sort tens of thousands.
struct NewKey {
    /// The library, the type, and whether the id is a text or a UUID; texts come first.
    private let scope: UInt64
    /// The first eight bytes of the id, padded with zeros.
    private let head: UInt64
    /// The index of the row in ``/TidemarkStore/FlushBatch/rows``.
    let index: Int

    init(_ row: FlushRow, id: UnsafeRawBufferPointer, index: Int) {
        scope = UInt64(row.library) << 32 | UInt64(row.type) << 8 | (row.isUUID ? 1 : 0)
        if id.count >= 8 {
            head = UInt64(bigEndian: id.loadUnaligned(as: UInt64.self))
        } else {
            head = id.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - id.count))
        }
        self.index = index
    }

    /// Returns true if this key comes before another in table order. If the heads are equal, the rest of the ids
    /// decides.
    @inline(__always)
    func precedes(_ other: NewKey, rows: [FlushRow], bytes: UnsafeRawBufferPointer) -> Bool {
        if scope != other.scope { return scope < other.scope }
        if head != other.head { return head < other.head }
        return rows[index].id(in: bytes).lexicographicallyPrecedes(rows[other.index].id(in: bytes))
    }
}
