/// The content and the faults of a synthetic stream. One value with one seed gives one stream, byte for byte.
///
/// ```swift
/// var settings = SyntheticSettings()
/// settings.entityCount = 10_000
/// settings.updatesPerEntity = 4
/// settings.gapRate = Share(partsPerMillion: 10_000)
/// settings.duplicateRate = Share(partsPerMillion: 10_000)
/// print(settings.problem ?? "ready")
/// ```
public struct SyntheticSettings: Hashable, Sendable {
    /// How updates are distributed over the entities.
    public enum Popularity: String, Sendable, CaseIterable {
        /// Every entity is equally likely.
        case uniform
        /// A few entities are updated often and most rarely: the chance falls with 1 / rank.
        case zipf
    }

    /// The seed of the stream. Default: 1.
    public var seed: UInt64 = 1
    /// How many different entities there are, each written once before the first update: 1 to 1,000,000,000. Default:
    /// 1,000.
    public var entityCount = 1_000
    /// The average number of updates of each entity after its first write, 0 to 1,000,000. Default: 1.
    public var updatesPerEntity = 1
    /// How updates are distributed over the entities. Default: evenly.
    public var popularity = Popularity.uniform
    /// The approximate size of a resource in bytes, up to 8 MiB. Default: 435. The fixed fields take some 170 bytes,
    /// whatever this says.
    public var resourceByteCount = 435
    /// How many resource types there are, over which entities are spread evenly: 1 to 1,000. Default: 1.
    public var typeCount = 1
    /// How many libraries there are, over which entities are spread evenly: 1 to 10,000. Each has its own sequences
    /// from 1. Default: 1.
    public var libraryCount = 1
    /// The share of the events that are batches. Default: none.
    public var batchShare = Share.none
    /// How many members a batch has, if there are as many entities: 1 to 100,000. Default: 100.
    public var batchMemberCount = 100
    /// The share of the updates that are deletes. Default: none.
    public var deleteShare = Share.none
    /// The share of the updates that have only some fields and are merged. Default: none.
    public var mergeShare = Share.none
    /// The epoch of every event; empty for none, the default. It is printed unchanged, so it must not have quotes,
    /// backslashes or control characters.
    public var epoch = ""

    /// The share of the events that the stream leaves out. Default: none.
    public var gapRate = Share.none
    /// The share of the events that arrive late. Default: none.
    public var disorderRate = Share.none
    /// The largest number of events by which a late or repeated event is delayed, 1 to 100,000. Default: 16.
    public var disorderDistance = 16
    /// The share of the events that arrive twice. Default: none.
    public var duplicateRate = Share.none
    /// The share of the events that arrive broken. Default: none.
    public var badLineRate = Share.none
    /// How many events lie between two heartbeats of the stream; the end has one more for each library. Default: 0, no
    /// heartbeats.
    public var heartbeatInterval = 0

    /// Makes settings with the defaults.
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
