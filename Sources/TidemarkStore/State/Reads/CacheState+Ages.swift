import TidemarkModel

/// Compares the ages of fields, entities and lists with their limits.
extension CacheState {
    /// Returns true if an entity may have a field that is too old for some reader. For nearly every read this is false,
    /// and no field is checked.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire, or an alias.
    ///   - oldestWrite: When the entity's oldest field was written, in milliseconds since 1970; nil if unknown.
    ///   - ages: The age limits of the operation that reads.
    ///   - now: The time, in milliseconds since 1970.
    /// - Complexity: O(type's name + ages).
    package func mayBeExpired(type: ByteString, oldestWrite: Int64?, ages: OperationAges, at now: Int64) -> Bool {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return false }
        let type = types.ownName(of: type)
        guard let least = configuration.policy.leastAge(of: type, operation: ages) else { return false }
        guard let oldestWrite else { return true }
        return max(now.subtractingClamped(oldestWrite), 0) >= Int64(millisecondsOfSeconds: least)
    }

    /// Returns the selected field that is furthest past its age limit, as readers see the entity; nil if none is too
    /// old.
    ///
    /// A field is too old once its age reaches its limit. Every write of a field restarts its age, also one by a layer.
    ///
    /// - Parameters:
    ///   - key: The entity.
    ///   - fields: The selected fields; nil for all.
    ///   - ages: The age limits of the operation that reads.
    ///   - now: The time, in milliseconds since 1970.
    /// - Precondition: The entity is in memory, or in neither tier.
    /// - Complexity: O(fields with a stamp of their own); O(resource) if some field is old enough to be past a limit.
    package func expired(
        _ key: EntityKey, fields: Set<[UInt8]>?, ages: OperationAges, at now: Int64
    ) -> ExpiredField? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty, let stored = storedKey(of: key) else { return nil }
        let type = types.name(of: stored.type)
        let dates = dates(of: stored)
        guard mayBeExpired(type: type, oldestWrite: dates.oldest, ages: ages, at: now) else { return nil }
        // Most fields are ruled out by their dates alone, without a lookup in the resource.
        let suspects = fields?.filter { name in
            let field = ByteString(name)
            guard let least = configuration.policy.leastAge(ofField: field, in: type, operation: ages) else {
                return false
            }
            return CacheState.overdue(dates.writtenAt(field), maxAge: least, at: now) >= 0
        }
        if let suspects, suspects.isEmpty { return nil }
        let limits = AgeLimits(policy: configuration.policy, operation: ages, type: type)
        var worst: ExpiredField?
        forEachLimit(of: stored, dates, fields: suspects, limits) { field, writtenAt, maxAge in
            let overdue = CacheState.overdue(writtenAt, maxAge: maxAge, at: now)
            if overdue >= 0, worst.map({ overdue > $0.overdue }) ?? true {
                worst = ExpiredField(key: key, field: field, writtenAt: writtenAt, maxAge: maxAge, overdue: overdue)
            }
        }
        return worst
    }

    /// Returns how far a field is past an age limit, in milliseconds; negative while it is below the limit.
    ///
    /// A write in the future counts as age 0, because the clock that reports such a time is wrong.
    private static func overdue(_ writtenAt: Int64, maxAge: Int, at now: Int64) -> Int64 {
        max(now.subtractingClamped(writtenAt), 0).subtractingClamped(Int64(millisecondsOfSeconds: maxAge))
    }

    /// Returns when the first selected field of an observed entity becomes too old, as readers see it, in milliseconds
    /// since 1970; nil if none ever does.
    ///
    /// - Complexity: That of ``expired(_:fields:ages:at:)``.
    package func expiry(ofEntity handle: ListHandle, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return nil }
        let stored = queries.keys.key(of: handle)
        let limits = AgeLimits(
            policy: configuration.policy, operation: ages, type: types.name(of: stored.type))
        var first: Int64?
        forEachLimit(of: stored, dates(of: stored), fields: fields, limits) { _, writtenAt, maxAge in
            first = min(first ?? .max, writtenAt.addingClamped(Int64(millisecondsOfSeconds: maxAge)))
        }
        return first
    }

    /// Returns when an observed list, or the first entity that it shows, becomes too old, in milliseconds since 1970;
    /// nil if neither ever does.
    ///
    /// - Complexity: O(list), times the cost for one entity.
    package func expiry(ofList query: QueryID, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard queries[query].isStored else { return nil }
        var first = queries[query].timeToLive.map { queries[query].storedAt.addingClamped($0) }
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return first }
        for handle in shownHandles(of: query) {
            guard let moment = expiry(ofEntity: handle, fields: fields, ages: ages) else { continue }
            first = min(first ?? .max, moment)
        }
        return first
    }

    /// Returns true if a query is evaluated over the store instead of being answered by a server.
    package func isLocal(_ query: QueryID) -> Bool { queries[query].isLocal }

    /// Returns the age limits of an entity's top-level fields, as it is stored without layers.
    ///
    /// - Precondition: The entity is in memory, or in neither tier.
    package func limits(of key: EntityKey, ages: OperationAges) -> [ByteString: AgeLimit] {
        guard let stored = storedKey(of: key), let index = withIdentity(stored, { entities.find($0) }) else {
            return [:]
        }
        let type = types.name(of: stored.type)
        var limits: [ByteString: AgeLimit] = [:]
        AgeLimits(policy: configuration.policy, operation: ages, type: type)
            .forEachLimit(of: entities.payload(of: index), fields: nil) { limits[$0] = $1 }
        return limits
    }

    /// Returns when the fields of an entity were written, as readers see it.
    ///
    /// - Precondition: The entity is in memory, or in neither tier.
    private func dates(of stored: StoredKey) -> FieldDates {
        let index = withIdentity(stored) { entities.find($0) }
        let layered = isLayered(stored) ? queries.keys.handle(of: stored) : nil
        return FieldDates(
            index: index, layers: layered.map { layers.dates(over: $0) },
            stamps: index.flatMap { entities.fieldStamps[$0] }, whole: index.map { entities.stamp(of: $0).writtenAt })
    }

    /// Calls `body` for each field with a limit, with the time of its write and the limit in seconds.
    private func forEachLimit(
        of stored: StoredKey, _ dates: FieldDates, fields: Set<[UInt8]>?, _ limits: AgeLimits,
        _ body: (ByteString, Int64, Int) -> Void
    ) {
        func look(at resource: UnsafeRawBufferPointer) {
            limits.forEachLimit(of: resource, fields: fields) { field, limit in
                if let seconds = limit.seconds { body(field, dates.writtenAt(field), seconds) }
            }
        }
        if dates.layers != nil {
            guard let handle = queries.keys.handle(of: stored) else { return }
            layers.overlays[handle]?.visible?.withUnsafeBytes(look)
        } else if let index = dates.index {
            look(at: entities.payload(of: index))
        }
    }
}

/// When the fields of one entity were written, as readers see it.
private struct FieldDates {
    /// The time of an unknown write: older than any limit allows, and exact as a JSON number.
    private static let unknown: Int64 = -1 << 53

    /// The entity's slot; nil if only layers have it.
    let index: SlotIndex?
    /// When layers wrote the fields; nil without layers.
    let layers: LayerStack.Dates?
    /// The stamps of fields that have one of their own; nil if all fields were written at once.
    let stamps: FieldStamps?
    /// When all other fields were written, in milliseconds since 1970; nil if only layers have the entity.
    let whole: Int64?

    /// When the oldest field was written; nil with layers.
    ///
    /// - Complexity: O(fields with a stamp of their own).
    var oldest: Int64? { layers == nil ? whole.map { stamps?.oldest(from: $0) ?? $0 } : nil }

    /// Returns when a field was written, in milliseconds since 1970; a time older than any limit if unknown.
    func writtenAt(_ field: ByteString) -> Int64 {
        let base = stamps?[field].writtenAt ?? whole
        return layers?.date(of: field, base: base) ?? base ?? FieldDates.unknown
    }
}
