import TidemarkModel

/// The resources of a workload in one block, in the form that references need.
struct Payloads {
    private(set) var source: [UInt8] = []
    private(set) var offsets: [UInt64] = []
    private(set) var counts: [UInt32] = []
    /// The number of each payload's entity, in the order in which entities first occur.
    private(set) var entities: [UInt32] = []
    private(set) var entityCount = 0

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

    var count: Int { counts.count }
    var byteCount: Int { counts.reduce(0) { $0 + Int($1) } }
}
