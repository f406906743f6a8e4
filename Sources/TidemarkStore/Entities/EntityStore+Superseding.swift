import TidemarkJSON
import TidemarkModel

/// The write of a late event: other writes of the same entity, with higher sequences, were applied before it.
enum LateWrite {
    /// A replacement of the whole resource, with the names of its top-level fields.
    case replacement([ByteString])
    /// A merge, with the names of the top-level fields that it sets.
    case merge([ByteString])
    case deletion
}

extension EntityStore {
    /// Returns true if a late write would make no difference now, had it been applied in order.
    ///
    /// This holds if the whole resource was written later. If later writes named only some fields, it holds if these
    /// include every field that the late write sets or would have removed. An object that an event merged may hold
    /// parts of both writes, so it counts as unknown.
    ///
    /// - Parameters:
    ///   - index: The slot of an entity whose last write has a sequence at or above `sequence`.
    ///   - sequence: The sequence of the late event, in `generation`.
    /// - Complexity: O(fields).
    func isSuperseded(
        _ write: LateWrite, at sequence: EventSequence, generation: UInt32, in index: SlotIndex
    ) -> Bool {
        func isLater(_ stamp: EntityStamp) -> Bool {
            guard let own = stamp.sequence else { return false }
            return stamp.generation == generation && own >= sequence
        }
        let whole = stamp(of: index)
        let stamps = fieldStamps[index]
        let rest = stamps?.rest ?? whole
        if !rest.isPartial, isLater(rest) { return true }
        let payload = payload(of: index)
        let object = JSONObject(payload, range: 0..<payload.count)
        var later: Set<ByteString> = []
        for member in object.members {
            let name = ByteString(object.unescapedName(member))
            let stamp = stamps?[name] ?? whole
            let isMerged = stamp.writer == .event && payload[member.value.lowerBound] == UInt8(ascii: "{")
            // An object that a response merged is later only if all of its members are.
            let isWhole = stamps?.hasInside(name) { !isLater($0) } != true
            if isLater(stamp), isWhole, !isMerged { later.insert(name) }
        }
        return switch write {
        case .replacement(let fields): later.count == object.members.count && later.isSuperset(of: fields)
        case .merge(let fields): later.isSuperset(of: fields)
        case .deletion: later.count == object.members.count
        }
    }
}

extension EntityStore {
    /// Lowers all stamps of a generation that are above a sequence to that sequence. The changed entities become dirty.
    ///
    /// - Complexity: O(entities in memory).
    mutating func lowerStamps(of library: LibraryIndex, generation: UInt32, to sequence: EventSequence) {
        func lowered(_ stamp: EntityStamp) -> EntityStamp {
            guard stamp.generation == generation, let own = stamp.sequence, own > sequence else { return stamp }
            var stamp = stamp
            stamp.sequence = sequence
            return stamp
        }
        var found: [SlotIndex] = []
        forEachIndex { if self.library(of: $0) == library { found.append($0) } }
        for index in found {
            let whole = stamp(of: index)
            var isLowered = lowered(whole) != whole
            if isLowered { setStamp(lowered(whole), of: index) }
            if var stamps = fieldStamps[index] {
                let before = stamps
                stamps.rest = lowered(stamps.rest)
                stamps.named = stamps.named.mapValues(lowered)
                if stamps != before {
                    setFieldStamps(stamps, of: index)
                    isLowered = true
                }
            }
            if isLowered { markDirty(index, hasNewPayload: true) }
        }
    }
}
