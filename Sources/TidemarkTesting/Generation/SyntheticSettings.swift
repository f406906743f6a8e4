/// What a synthetic stream holds and what is wrong with it. One value and one seed give one stream, byte for byte.
public struct SyntheticSettings: Hashable, Sendable {
    /// Which entity an update is about.
    public enum Popularity: String, Sendable, CaseIterable {
        /// Every entity is as likely.
        case uniform
        /// A few are updated often and most seldom: the chance falls with 1 / rank.
        case zipf
    }

    /// Two streams with one seed and one set of options are equal.
    public var seed: UInt64 = 1
    /// Different entities; each is seen once before the first update. At least 1.
    public var entityCount = 1_000
    /// Updates for each entity on the average, after it was first seen.
    public var updatesPerEntity = 1
    /// Which entities are updated.
    public var popularity = Popularity.uniform
    /// About how large a resource is. What is smaller than its fixed fields, some 170 bytes, is rounded up.
    public var resourceByteCount = 435
    /// Different resource types, spread evenly.
    public var typeCount = 1
    /// Libraries, spread evenly; each has its own sequences from 1.
    public var libraryCount = 1
    /// Of the events, how many are batches.
    public var batchShare = Share.none
    /// Members of a batch, where there are as many entities.
    public var batchMemberCount = 100
    /// Of the updates, how many are deletes.
    public var deleteShare = Share.none
    /// Of the updates, how many name some fields only and merge them.
    public var mergeShare = Share.none
    /// In every event when it is not empty. Printed as it is: no quotes and no backslashes.
    public var epoch = ""

    /// Of the events, how many the stream leaves out.
    public var gapRate = Share.none
    /// Of the events, how many come late.
    public var disorderRate = Share.none
    /// At most so many events late, for late ones and repeated ones. At least 1.
    public var disorderDistance = 16
    /// Of the events, how many come twice.
    public var duplicateRate = Share.none
    /// Of the events, how many come broken.
    public var badLineRate = Share.none
    /// A heartbeat after every so many events, and one a library at the end; 0 for none.
    public var heartbeatInterval = 0

    public init() {}

    /// The first of the settings that makes no sense, in words; nil when a stream can be made.
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
