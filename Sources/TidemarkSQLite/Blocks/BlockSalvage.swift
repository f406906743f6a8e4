import TidemarkModel
import TidemarkStore

/// Salvages the undamaged entities of a damaged block.
///
/// If the directory passes its check, each entity is kept whose own check passes. A single flipped bit in head,
/// directory or check is found by trying each bit. A directory with more damage is parsed as far as its lengths fit,
/// from a head that may be wrong; then only the checks of the entities decide.
enum BlockSalvage {
    /// The most bytes of head and directory in which a flipped bit is searched. Each bit costs a checksum of them.
    private static let searchedByteCountMax = 8 << 10

    /// Returns the entities and removals that pass their checks, with their positions.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the block's row.
    ///   - number: The number of the row.
    /// - Complexity: O(unpacked bytes); with a damaged directory of n bytes O(n²), 10 ms for a usual one.
    static func entities(
        of bytes: [UInt8], number: Int64, unpacker: BlockUnpacker, dictionaries: [Int64: PayloadDictionary]
    ) -> [(position: Int, entity: BlockStoredEntity)] {
        let content: BlockContent
        switch self.content(of: bytes, number: number, unpacker: unpacker, dictionaries: dictionaries) {
        case .success(let found): content = found
        case .failure: return []
        }
        return content.directory.entries.indices.compactMap { position in
            do throws(PayloadError) {
                return (position, try content.entity(at: position))
            } catch {
                return nil
            }
        }
    }

    /// Reads a block whose data may be damaged. The data is unpacked as far as possible, and each entity must pass its
    /// own check.
    ///
    /// - Returns: The fault when not even a part of the directory can be read.
    static func content(
        of bytes: [UInt8], number: Int64, unpacker: BlockUnpacker, dictionaries: [Int64: PayloadDictionary]
    ) -> Result<BlockContent, PayloadError> {
        var bytes = bytes
        guard let directory = directory(of: &bytes, number: number) else { return .failure(.checksumMismatch) }
        let (data, _) = bytes.withUnsafeBytes {
            unpacker.unpackAsFarAsPossible($0, directory.head, dictionaries: dictionaries)
        }
        return .success(BlockContent(directory, bytes: bytes, data: data))
    }

    /// Returns true if the head and the directory of a block pass their check.
    static func isWhole(_ bytes: [UInt8], number: Int64) -> Bool { checked(bytes, number) != nil }

    /// Returns the directory; nil when it cannot be read. If a single flipped bit was found, `bytes` are corrected.
    private static func directory(of bytes: inout [UInt8], number: Int64) -> BlockDirectory? {
        if let whole = checked(bytes, number) { return whole }
        let head = bytes.withUnsafeBytes { bytes -> BlockHead? in
            guard bytes.count > BlockCodec.checkByteCount else { return nil }
            do throws(PayloadError) { return try BlockHead(bytes) } catch { return nil }
        }
        // A flipped bit can turn the head into any other head, or into none.
        let searchedCount = max(head?.data.lowerBound ?? 0, BlockCodec.headByteCountMax)
        if searchedCount <= searchedByteCountMax {
            for bit in 0..<min(searchedCount, bytes.count) * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                if let whole = checked(bytes, number) { return whole }
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
        guard let head else { return nil }
        var directory = BlockDirectory(head: head)
        bytes.withUnsafeBytes { bytes in
            var cursor = BlockCursor(
                UnsafeRawBufferPointer(rebasing: bytes[..<head.data.lowerBound]), at: head.byteCount)
            directory.readEntries(&cursor)
        }
        return directory
    }

    private static func checked(_ bytes: [UInt8], _ number: Int64) -> BlockDirectory? {
        bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) { return try BlockDirectory(bytes, number: number) } catch { return nil }
        }
    }
}
