import TidemarkModel

/// The outcome of writing one resource of an event.
enum WriteOutcome {
    case written
    /// Something newer is stored, or the entity it would be merged into is evicted.
    case superseded
    /// The entity would be too large; nothing changed.
    case tooLarge
}

/// Writes that would leave an entity larger than a data file can hold.
///
/// Every path checks the size before it changes anything: an event is set aside, a request is refused. So a flush never
/// meets an entity that cannot be encoded.
///
/// - Source: Protocol/limits.md, the size of an entity.
extension CacheState {
    /// The number of bytes that a stored entity may have.
    var entityByteCountMax: Int { min(configuration.limits.entityByteCountMax, Limits.entityByteCountCeiling) }

    /// Tells whether resources of this many bytes together fit into any stored entity, so that none needs a check of
    /// its own.
    ///
    /// A merge is never longer than its two sides together.
    ///
    /// - Complexity: O(1).
    func fitsAnywhere(_ byteCount: Int) -> Bool {
        entities.payloadByteCountHighest + byteCount <= entityByteCountMax
    }

    /// Sets an event aside whose place is known: its entity would be too large, or it cannot be used and its log names
    /// its number. The number, if it has one, passes and counts as lost.
    ///
    /// The event settles no layer by its mutation's name, because the result of that mutation is not stored.
    mutating func refuseInPlace(
        _ view: EventView, because reason: QuarantineReason, in library: LibraryIndex, at now: Int64
    ) {
        if view.source.isCounted { counts.quarantined += 1 }
        tallies.add(.quarantined, view.source)
        log(view, .quarantined, reason: reason, at: now)
        quarantine.append(record(of: view, because: reason, in: library, at: now))
        guard let sequence = view.event.sequence else { return }
        libraries[library].gate.noteLost(sequence)
        lossCount += 1
        libraries[library].isChanged = true
        markAllStale(in: library, nil, at: now)
    }

    /// Returns the quarantine record of an event that is set aside in its place.
    ///
    /// - Note: A held event that is too large has only its resource left: its record is incomplete, and is not tried
    ///   again.
    private func record(
        of view: EventView, because reason: QuarantineReason, in library: LibraryIndex, at now: Int64
    ) -> QuarantineRecord {
        var line: Int64 = 0
        if case .line(_, let number) = view.source { line = number }
        let bytes =
            view.event.kind == .unusable
            ? view.bytes[view.event.detail] : view.line ?? view.ownMembers.first.map { view.bytes[$0.resource] }
        let kept = bytes.map { Array($0.prefix(configuration.limits.quarantineByteCountMax)) } ?? []
        return QuarantineRecord(
            kind: view.source == .upstream ? .upstream : .line, reason: reason, line: line, offset: view.offset,
            library: libraries.name(of: library), sequence: view.event.sequence, receivedAt: now, bytes: kept,
            byteCount: max(view.byteCount, kept.count))
    }

    /// Sets a late event aside whose entity would be too large; its number is lost already and stays lost. A copy is
    /// counted and not recorded again. An event from an upstream is not recorded either, because it comes with every
    /// answer.
    mutating func refuseLateOversized(_ view: EventView, isCopy: Bool, in library: LibraryIndex, at now: Int64) {
        guard view.source.isCounted else { return }
        counts.quarantined += 1
        tallies.add(.quarantined, view.source)
        log(view, .quarantined, reason: .tooLarge, at: now)
        guard !isCopy else { return }
        quarantine.append(record(of: view, because: .tooLarge, in: library, at: now))
    }

    /// Sets an unusable event aside whose number is lost already: it stays lost.
    mutating func refuseLate(_ view: EventView, in library: LibraryIndex, at now: Int64) {
        guard view.source.isCounted, let reason = view.event.reason else { return }
        counts.late += 1
        tallies.add(.late, view.source)
        counts.quarantined += 1
        tallies.add(.quarantined, view.source)
        log(view, .quarantined, reason: reason, at: now)
        quarantine.append(record(of: view, because: reason, in: library, at: now))
    }

    // MARK: Retries of quarantined events

    /// Tells whether a quarantined event of one resource would be refused again because its entity would be too large.
    ///
    /// - Complexity: O(entity + resource).
    mutating func isOversized(_ view: EventView, in library: LibraryIndex) -> Bool {
        guard view.event.kind == .changed, let member = view.ownMembers.first, member.reason == nil,
            let type = admitType(view.bytes[view.event.type])
        else { return false }
        let resource = view.bytes[member.resource]
        guard !fitsAnywhere(resource.count) else { return false }
        let rules = mergeRules(of: view, type: type)
        let identity = identity(of: member, in: view, library: library, type: type)
        if let index = entities.find(identity) {
            let generation = libraries[library].gate.generation
            if entities.stamp(of: index).isNewer(than: view.event.sequence, generation: generation) {
                let later = entities.laterFields(of: index, than: view.event.sequence, generation: generation)
                return later.map {
                    self.resource(after: resource, of: index, rules: rules, keeping: $0).resource.count
                        > entityByteCountMax
                } ?? false
            }
        }
        return mergedByteCount(resource, of: identity, rules) > entityByteCountMax
    }

    /// Returns the size that an entity would have after an event.
    ///
    /// - Complexity: O(entity + resource).
    func mergedByteCount(
        _ resource: UnsafeRawBufferPointer, of identity: EntityIdentity, _ rules: MergeRules?
    ) -> Int {
        let own = entities.find(identity)
        guard let rules, let index = own ?? alternateMatch(rules, identity) else { return resource.count }
        let base = entities.payload(of: index)
        let known =
            entities.completeness(of: index).isEvaluable
            ? nil : Merge.knowable(resource, over: base, noMergeFields: rules.noMergeFields)
        return (known ?? Array(resource)).withUnsafeBytes {
            Merge.merged($0, into: base, noMergeFields: rules.noMergeFields, keepsIdentity: own == nil).count
        }
    }
}
