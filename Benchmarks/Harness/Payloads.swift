import TidemarkModel

/// The resources of a workload in one block of memory, in the form that the C references take.
struct Payloads {
    /// The bytes of the resources, with the rest of their lines in between.
    private(set) var source: [UInt8] = []
    /// The offset of each payload in `source`.
    private(set) var offsets: [UInt64] = []
    /// The size of each payload, in bytes.
    private(set) var counts: [UInt32] = []
    /// The index of each payload's entity. Entities are numbered in the order in which they first occur.
    private(set) var entities: [UInt32] = []
    /// The number of different entities.
    private(set) var entityCount = 0

    /// Decodes a workload, and collects its resources.
    ///
    /// - Parameter isDistinct: Whether to keep only the last version of each entity.
    init(of workload: Workload, isDistinct: Bool = false) throws {
        var indexes: [UUIDValue: UInt32] = [:]
        try workload.decode { batch in
            let base = source.count
            source += batch.block
            for member in batch.members {
                let next = UInt32(indexes.count)
                let entity = indexes[member.uuid, default: next]
                if entity == next { indexes[member.uuid] = next }
                if isDistinct, Int(entity) < offsets.count {
                    offsets[Int(entity)] = UInt64(base) + UInt64(member.resource.offset)
                    counts[Int(entity)] = member.resource.count
                } else {
                    entities.append(entity)
                    offsets.append(UInt64(base) + UInt64(member.resource.offset))
                    counts.append(member.resource.count)
                }
            }
        }
        entityCount = indexes.count
    }

    /// The number of payloads.
    var count: Int { counts.count }
    /// The total size of the payloads, in bytes.
    var byteCount: Int { counts.reduce(0) { $0 + Int($1) } }
}
