/// The content and the faults of a synthetic stream. One value and one seed give one stream, byte for byte.
public struct SyntheticSettings: Hashable, Sendable {
    /// The distribution of updates over the entities.
    public enum Popularity: String, Sendable, CaseIterable {
        /// Every entity is equally likely.
        case uniform
        /// A few entities are updated often and most seldom: the chance falls with 1 / rank.
        case zipf
    }

    /// The seed. Two streams with the same seed and settings are equal.
    public var seed: UInt64 = 1
    /// The number of different entities; each is written once before the first update. At least 1.
    public var entityCount = 1_000
    /// The average number of updates for each entity after its first write.
    public var updatesPerEntity = 1
    /// The distribution of updates over the entities.
    public var popularity = Popularity.uniform
    /// The approximate size of a resource in bytes. A size below that of the fixed fields, some 170 bytes, is raised to
    /// it.
    public var resourceByteCount = 435
    /// The number of different resource types; entities are spread evenly over them.
    public var typeCount = 1
    /// The number of libraries; entities are spread evenly over them. Each library has its own sequences from 1.
    public var libraryCount = 1
    /// The share of the events that are batches.
    public var batchShare = Share.none
    /// The number of members of a batch, where there are as many entities.
    public var batchMemberCount = 100
    /// The share of the updates that are deletes.
    public var deleteShare = Share.none
    /// The share of the updates that name some fields only and merge them.
    public var mergeShare = Share.none
    /// The epoch in every event; empty for none. It is printed unchanged, so it must have no quotes and no backslashes.
    public var epoch = ""

    /// The share of the events that the stream leaves out.
    public var gapRate = Share.none
    /// The share of the events that come late.
    public var disorderRate = Share.none
    /// The number of events by which a late or repeated event is delayed at most. At least 1.
    public var disorderDistance = 16
    /// The share of the events that come twice.
    public var duplicateRate = Share.none
    /// The share of the events that come broken.
    public var badLineRate = Share.none
    /// The number of events between two heartbeats of the stream, and one more for each library at the end; 0 for none.
    public var heartbeatInterval = 0

    public init() {}

    /// The first invalid setting, in words; nil when a stream can be made.
    public var problem: String? {
        if !(1...1_000_000_000).contains(entityCount) {
            return "\(entityCount) entities: 1 to 1,000,000,000 are possible"
        }
        if !(0...1_000_000).contains(updatesPerEntity) {
            return "\(updatesPerEntity) updates an entity: 0 to 1,000,000 are possible"
        }
        if !(1...1_000).contains(typeCount) { return "\(typeCount) types: 1 to 1,000 are possible" }
        if !(1...10_000).contains(libraryCount) { return "\(libraryCount) libraries: 1 to 10,000 are possible" }
        if !(1...100_000).contains(batchMemberCount) {
            return "\(batchMemberCount) members in a batch: 1 to 100,000 are possible"
        }
        if !(0...(8 << 20)).contains(resourceByteCount) {
            return "\(resourceByteCount) bytes a resource: up to 8 MiB are possible"
        }
        if !(1...100_000).contains(disorderDistance) {
            return "a distance of \(disorderDistance) events: 1 to 100,000 are possible"
        }
        if heartbeatInterval < 0 { return "a heartbeat every \(heartbeatInterval) events cannot be made" }
        if epoch.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }) {
            return "an epoch with a quote, a backslash or a control character is not printed"
        }
        let shares = [batchShare, deleteShare, mergeShare].reduce(0) { $0 + $1.partsPerMillion }
        if shares > Share.whole { return "batches, deletes and merges together are more than all events" }
        let faults = [gapRate, badLineRate, disorderRate].reduce(0) { $0 + $1.partsPerMillion }
        if faults > Share.whole { return "missing, broken and late events together are more than all events" }
        return nil
    }
}
