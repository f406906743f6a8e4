import TidemarkModel
import TidemarkViews

/// A log as it is stored, and what is stored of it after each unit.
///
/// It belongs into the transaction that writes the entities. A line may be sent before that transaction is on the disk
/// if ``reserved`` was written before: the position is then never used again.
package struct ScopeLogImage: Sendable {
    /// One entity in the scope.
    package struct Member: Hashable, Sendable {
        /// The entity.
        package let key: ViewKey
        /// When it entered.
        package let entered: ScopePosition
        /// When what is sent of it changed last.
        package let changed: ScopePosition
        /// A checksum of what was sent of it last, to find changes that happened while nobody had the scope.
        package let checksum: UInt64
    }

    /// True if this is all of the log, in place of what was stored. Otherwise it is what changed: new members replace
    /// stored ones of the same entity, and a new departure removes the stored member that entered when it did.
    package var isWhole: Bool
    /// The name of the log.
    package var identity: [UInt8]
    /// The position behind the last unit.
    package var head: ScopePosition
    /// The last position that may have been sent; nil if none was reserved.
    package var reserved: ScopePosition?
    /// Positions that were reserved before earlier crashes.
    var unknown: [ClosedRange<ScopePosition>] = []
    /// The last position of a departure that is forgotten.
    package var horizon: ScopePosition
    /// The entities in the scope: all of them, or those that changed.
    package var members: [Member]
    /// The departures that are kept, in the order of time: all of them, or the new ones.
    var stays: [(key: ViewKey, stay: PresenceHistory.Stay)]

    /// The keys of the departures, in the order of time.
    package var departedKeys: [ViewKey] { stays.map(\.key) }
}

extension ScopeLog {
    /// Returns what has to be stored.
    ///
    /// - Parameters:
    ///   - stored: The head of the log when it was stored last; nil for all of it.
    ///   - source: What the scope sends at present.
    func image(since stored: ScopePosition?, _ source: some ScopeSource) -> ScopeLogImage {
        // Departures that are forgotten already cannot be told one by one.
        let position = stored.flatMap { $0 >= history.horizon ? $0 : nil }
        let numbers = position.map { difference(since: $0).changed } ?? Array(members.numbers)
        return ScopeLogImage(
            isWhole: position == nil, identity: identity, head: head, reserved: nil, unknown: unknown,
            horizon: history.horizon,
            members: numbers.compactMap { number in
                members[number].map { member in
                    let key = source.key(of: number)
                    return ScopeLogImage.Member(
                        key: key, entered: member.entered, changed: member.changed,
                        checksum: ScopeLogImage.checksum(source.sent(key) ?? []))
                }
            }.sorted { $0.key < $1.key },
            stays: history.stays(after: position))
    }
}

extension ScopeLogImage {
    /// The checksum of what is sent of an entity.
    static func checksum(_ sent: [UInt8]) -> UInt64 { sent.withUnsafeBytes { Checksum.xxh64($0) } }
}
