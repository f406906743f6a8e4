import TidemarkModel
import TidemarkStore

/// What a payload's checksum covers besides the payload: its key and its stamps.
///
/// A payload that is stored under another key, or whose sequence or time was altered, fails its check.
package struct PayloadSeal {
    var library: LibraryIndex
    var type: TypeIndex
    var isUUID: Bool
    var sequence: Int64?
    var generation: UInt32
    var writtenAt: Int64

    /// Creates a seal.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the last write; nil when it had none.
    ///   - generation: The generation of the library's log at the last write.
    ///   - writtenAt: The time of the last write, in milliseconds since 1970.
    package init(
        library: LibraryIndex, type: TypeIndex, isUUID: Bool, sequence: Int64?, generation: UInt32, writtenAt: Int64
    ) {
        self.library = library
        self.type = type
        self.isUUID = isUUID
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
    }

    /// Returns the seed of the payload's checksum.
    ///
    /// - Parameter id: The 16 bytes of a UUID, or the id's text.
    /// - Complexity: O(id.count).
    package func seed(id: UnsafeRawBufferPointer) -> UInt64 {
        let fields: (UInt64, UInt64, UInt64) = (
            UInt64(library) << 48 | UInt64(type) << 32 | UInt64(generation),
            UInt64(bitPattern: sequence ?? -1),
            UInt64(bitPattern: writtenAt) << 1 | (isUUID ? 1 : 0)
        )
        let littleEndian = (fields.0.littleEndian, fields.1.littleEndian, fields.2.littleEndian)
        let stamps = withUnsafeBytes(of: littleEndian) { Checksum.xxh64($0) }
        return Checksum.xxh64(id, seed: stamps)
    }
}
