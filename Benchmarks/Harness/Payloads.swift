import TidemarkModel

/// The resources of a workload in one block, as references want them.
struct Payloads {
    private(set) var source: [UInt8] = []
    private(set) var offsets: [UInt64] = []
    private(set) var counts: [UInt32] = []
    /// Of each payload, the number of its entity in the order in which entities were first seen.
    private(set) var entities: [UInt32] = []
    private(set) var entityCount = 0

    /// - Parameter isDistinct: Only the last version of each entity.
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
