import TidemarkModel
import TidemarkStore

/// Encodes and decodes whole blocks as values, for fuzzers.
extension BlockCodec {
    /// Encodes a block.
    ///
    /// - Parameter entities: 1 to 127 entities and removals of one library and type, at most 256 KiB together.
    /// - Throws: An error when there is no memory for a codec.
    package static func encode(
        _ entities: [BlockStoredEntity], library: LibraryIndex, type: TypeIndex, number: Int64,
        dictionary: PayloadDictionary?, _ compression: DataCompression = .standard
    ) throws -> [UInt8] {
        var builder = BlockBuilder(library: library, type: type)
        for entity in entities { entity.withBlockEntity { builder.add($0) } }
        return builder.take(number: number, ordinal: 1, dictionary: dictionary)
            .packed(by: try BlockPacker(compression)).bytes
    }

    /// Decodes a block whose directory passes its check and whose data can be unpacked.
    ///
    /// - Returns: The entities by their positions, without those that fail their own checks.
    /// - Throws: ``PayloadError``; an error when there is no memory for a codec.
    package static func decode(
        _ bytes: [UInt8], number: Int64, dictionaries: [Int64: PayloadDictionary]
    ) throws -> [Int: BlockStoredEntity] {
        let content = try BlockContent(
            bytes, number: number, unpacker: try BlockUnpacker(), dictionaries: dictionaries)
        var entities: [Int: BlockStoredEntity] = [:]
        for position in content.directory.entries.indices {
            do throws(PayloadError) { entities[position] = try content.entity(at: position) } catch {}
        }
        return entities
    }

    /// Decodes the undamaged entities of a damaged block, by their positions.
    ///
    /// - Throws: An error when there is no memory for a codec.
    package static func salvage(
        _ bytes: [UInt8], number: Int64, dictionaries: [Int64: PayloadDictionary]
    ) throws -> [Int: BlockStoredEntity] {
        let saved = BlockSalvage.entities(
            of: bytes, number: number, unpacker: try BlockUnpacker(), dictionaries: dictionaries)
        return Dictionary(saved.map { ($0.position, $0.entity) }) { first, _ in first }
    }

    /// Returns a block with the correct check for its head and directory.
    ///
    /// - Parameter bytes: A block. Its first four bytes are replaced.
    /// - Returns: nil when the head cannot be parsed.
    package static func sealed(_ bytes: [UInt8], number: Int64) -> [UInt8]? {
        var bytes = bytes
        let isSealed = bytes.withUnsafeMutableBytes { bytes in
            guard bytes.count > checkByteCount else { return false }
            let block = UnsafeRawBufferPointer(bytes)
            let head: BlockHead
            do throws(PayloadError) { head = try BlockHead(block) } catch { return false }
            let check = BlockDirectory.check(block, dataOffset: head.data.lowerBound, number: number)
            bytes.storeBytes(of: check.littleEndian, as: UInt32.self)
            return true
        }
        return isSealed ? bytes : nil
    }
}

extension BlockStoredEntity {
    /// Calls a closure with the entity in the form that ``BlockBuilder`` accepts. The bytes are borrowed.
    func withBlockEntity<Result>(_ body: (BlockEntity) -> Result) -> Result {
        key.id.withBytes { id in
            payload.withUnsafeBytes { payload in
                fields.withUnsafeBytes { fields in
                    body(
                        BlockEntity(
                            id: id, isUUID: key.id.isUUID, sequence: sequence, generation: generation,
                            writtenAt: writtenAt,
                            content: isRemoval ? .removal : .payload(payload, fields: fields, isReduced: isReduced)))
                }
            }
        }
    }
}
