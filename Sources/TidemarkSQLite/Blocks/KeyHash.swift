import TidemarkModel
import TidemarkStore

/// The hash of a key in the index of places: 12 bits select a segment, 64 are stored in a slot.
///
/// Two of ten million keys have the same hash with a probability of 1 in 10⁹.
///
/// - Source: docs/decisions/0020-past-memory.md.
struct KeyHash: Hashable {
    static let segmentBitCount = 12

    /// The index of the segment.
    let segment: Int
    /// The bits in the slot.
    let tag: UInt64

    init(segment: Int, tag: UInt64) {
        self.segment = segment
        self.tag = tag
    }

    /// Creates a hash from two independent ones.
    ///
    /// - Parameters:
    ///   - high: 64 bits, of which the first 12 are used.
    ///   - low: 64 bits that do not depend on `high`.
    init(high: UInt64, low: UInt64) {
        segment = Int(high >> UInt64(64 - KeyHash.segmentBitCount))
        tag = low
    }

    /// Hashes a key.
    ///
    /// - Parameter seed: The random number of the file. Without it nobody can choose ids with the same hash.
    /// - Complexity: O(bytes of the id); 20 ns for a UUID.
    init(_ key: BlockKey, seed: UInt64) {
        let place = UInt64(key.library) << 32 | UInt64(key.type) << 1 | (key.isUUID ? 1 : 0)
        // Two functions, not one with two seeds: ids that collide in one function for every seed do not collide in the
        // other.
        let low = Checksum.xxh64(key.id, seed: seed ^ place &* 0x9E37_79B9_7F4A_7C15)
        let folded = (low ^ seed).multipliedFullWidth(by: place ^ 0xA076_1D64_78BD_642F)
        var high = folded.high ^ folded.low
        var offset = 0
        while offset < key.id.count {
            var word: UInt64 = 0
            if offset + 8 <= key.id.count {
                word = UInt64(littleEndian: key.id.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            } else {
                for index in offset..<key.id.count { word = word << 8 | UInt64(key.id[index]) }
            }
            let product = (high ^ word).multipliedFullWidth(by: seed | 1)
            high = product.high ^ product.low ^ 0xE703_7ED1_A0B4_28DB
            offset += 8
        }
        let last = (high ^ seed).multipliedFullWidth(by: 0x8EBC_6AF0_9C88_C6E3)
        self.init(high: last.high ^ last.low, low: low)
    }
}

/// A key in the form that is hashed and compared. The id is borrowed.
struct BlockKey {
    var library: LibraryIndex
    var type: TypeIndex
    var isUUID: Bool
    /// The 16 bytes of a UUID, or the id's text.
    var id: UnsafeRawBufferPointer
}

extension StoredKey {
    /// Calls a closure with the key in the form that is hashed. The id is borrowed.
    func withBlockKey<Result, Failure: Error>(
        _ body: (BlockKey) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = id.withBytes { bytes in
            Swift.Result { () throws(Failure) in
                try body(BlockKey(library: library, type: type, isUUID: id.isUUID, id: bytes))
            }
        }
        return try result.get()
    }
}
