import TidemarkStore

/// The place of a new row's key in the table `keys`, small enough to be sorted by the ten thousand.
struct NewKey {
    /// Library, type, and text before UUID.
    private let scope: UInt64
    /// The id's first eight bytes.
    private let head: UInt64
    /// Into ``TidemarkStore/FlushBatch/rows``.
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

    /// Table order; of equal heads the rest of the ids decides.
    @inline(__always)
    func precedes(_ other: NewKey, rows: [FlushRow], bytes: UnsafeRawBufferPointer) -> Bool {
        if scope != other.scope { return scope < other.scope }
        if head != other.head { return head < other.head }
        return rows[index].id(in: bytes).lexicographicallyPrecedes(rows[other.index].id(in: bytes))
    }
}
