import CReference
import Foundation
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// The block store alone, fed by the same walk over the lines as RocksDB: the best that the engine can reach with it.
final class PastMemoryBlocks: PastMemoryStore {
    let folder: String
    private let file: BlockFile
    private var sequence: Int64 = 0

    /// Opens a block store in a folder.
    ///
    /// - Throws: An error of SQLite.
    init(folder: String) throws {
        self.folder = folder
        file = try BlockFile(path: folder + "/blocks.db")
    }

    func feed(_ path: String, fed: (Int64) -> Void) async throws {
        try PastMemoryLines.forEachBatch(of: path, fed: fed) { bytes, byteCount in
            let batch = Batch(after: sequence)
            _ = reference_walk(bytes, byteCount, Unmanaged.passUnretained(batch).toOpaque()) {
                context, id, idCount, resource, resourceCount in
                guard let context else { return }
                Unmanaged<Batch>.fromOpaque(context).takeUnretainedValue().add(
                    id: UnsafeRawBufferPointer(start: id, count: idCount),
                    resource: UnsafeRawBufferPointer(start: resource, count: resourceCount))
            }
            sequence = batch.sequence
            try file.write(batch.flush)
        }
    }

    func settle() async throws { try file.mergeAll() }

    func read(_ entity: Int) async throws -> Int {
        let id = StoredID(ByteString(PastMemoryLines.id(of: entity)))
        return try file.payload(StoredKey(library: 0, type: 0, id: id))?.count ?? 0
    }

    func prepare(_ stage: PastMemoryStage, entityCount: Int) async throws {}

    func close() async throws { try file.checkpoint() }

    /// The last version of each entity of a batch.
    private final class Batch {
        private(set) var flush = FlushBatch()
        private(set) var sequence: Int64
        /// The index of each id's row in the flush.
        private var rows: [UUIDValue: Int] = [:]

        init(after sequence: Int64) {
            self.sequence = sequence
            rows.reserveCapacity(PastMemorySizes.batchLineCount)
            flush.bytes.reserveCapacity(PastMemorySizes.batchLineCount * 400)
        }

        /// Adds a version of an entity, in place of an earlier version in the batch.
        func add(id: UnsafeRawBufferPointer, resource: UnsafeRawBufferPointer) {
            guard let uuid = UUIDValue(text: id) else { return }
            sequence += 1
            let idOffset = flush.bytes.count
            withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) { flush.bytes.append(contentsOf: $0) }
            let payloadOffset = flush.bytes.count
            flush.bytes.append(contentsOf: resource)
            let row = FlushRow(
                row: sequence, change: .update, library: 0, type: 0, isUUID: true, idOffset: idOffset, idCount: 16,
                payloadOffset: payloadOffset, payloadCount: resource.count, sequence: EventSequence(sequence),
                generation: 0, writtenAt: 1_760_000_000_000 + sequence / 100)
            if let known = rows[uuid] {
                flush.rows[known] = row
            } else {
                rows[uuid] = flush.rows.count
                flush.rows.append(row)
            }
        }
    }
}
