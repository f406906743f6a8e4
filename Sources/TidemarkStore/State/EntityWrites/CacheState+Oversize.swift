import TidemarkModel

/// The outcome of writing one resource of an event.
enum WriteOutcome {
    case written
    /// Something newer is stored, or the entity to merge into is evicted.
    case superseded
    /// The entity would be too large. Nothing changed.
    case tooLarge
}

/// Handles writes that would leave an entity larger than a data file can store.
///
/// Every path checks the size before it changes anything: an event is quarantined, a request is refused. So a flush
/// never has an entity that cannot be encoded.
///
/// - Source: Protocol/limits.md, the size of an entity.
extension CacheState {
    /// The most bytes that a stored entity may have.
    var entityByteCountMax: Int { min(configuration.limits.entityByteCountMax, Limits.entityByteCountCeiling) }

    /// Returns true if resources of this many bytes together fit into any stored entity, so that none needs its own
    /// check.
    ///
    /// A merge is never longer than its two sides together.
    ///
    /// - Complexity: O(1).
    func fitsAnywhere(_ byteCount: Int) -> Bool {
        entities.payloadByteCountHighest + byteCount <= entityByteCountMax
    }

    /// Quarantines an event whose place in the log is known: its entity would be too large, or it is unusable and the
    /// log itself names its sequence. The sequence, if any, is passed and counts as lost.
    ///
    /// The event settles no layer, because the result of its mutation is not stored.
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

    /// Returns the quarantine record of an event whose place in the log is known.
    ///
    /// - Note: Of a held event that is too large only the resource is left. Its record is incomplete and is not
    ///   retried.
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

    /// Quarantines a late event whose entity would be too large. Its sequence stays lost. A copy is counted but not
    /// recorded again. Nothing is recorded for an event from an upstream, because every response repeats it.
    mutating func refuseLateOversized(_ view: EventView, isCopy: Bool, in library: LibraryIndex, at now: Int64) {
        guard view.source.isCounted else { return }
        counts.quarantined += 1
        tallies.add(.quarantined, view.source)
        log(view, .quarantined, reason: .tooLarge, at: now)
        guard !isCopy else { return }
        quarantine.append(record(of: view, because: .tooLarge, in: library, at: now))
    }

    /// Quarantines an unusable event whose sequence is already lost and stays lost.
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

    /// Returns true if a quarantined event of one resource would be refused again, because its entity would be too
    /// large.
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

    /// Returns how many bytes an entity would have after an event.
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
