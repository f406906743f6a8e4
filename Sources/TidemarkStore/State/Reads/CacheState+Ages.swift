import TidemarkModel

/// The ages of fields, entities and lists, compared with their limits.
extension CacheState {
    /// Tells whether an entity can hold a field that is too old for any reader. The answer is false for nearly every
    /// read, which then checks no field.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire, or an alias.
    ///   - oldestWrite: The time of the entity's oldest field write, in milliseconds since 1970; nil when it is not
    ///     known.
    /// - Complexity: O(type's name + ages).
    package func mayBeExpired(type: ByteString, oldestWrite: Int64?, ages: OperationAges, at now: Int64) -> Bool {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return false }
        let type = configuration.typeAliases.isEmpty ? type : configuration.typeAliases[type] ?? type
        guard let least = configuration.policy.leastAge(of: type, operation: ages) else { return false }
        guard let oldestWrite else { return true }
        return max(now.subtractingClamped(oldestWrite), 0) >= Int64(millisecondsOfSeconds: least)
    }

    /// Returns the selected field that is furthest past its age limit, as readers see the entity; nil when no field is
    /// too old.
    ///
    /// A field is too old when its age has reached its limit. Every write of a field renews its age, including a write
    /// by a layer.
    ///
    /// - Parameter fields: The selected fields; nil: all.
    /// - Precondition: The entity is in memory unless it is in no tier.
    /// - Complexity: O(fields that were written apart); O(resource) when some field is old enough to be past a limit.
    package func expired(
        _ key: EntityKey, fields: Set<[UInt8]>?, ages: OperationAges, at now: Int64
    ) -> ExpiredField? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty, let stored = storedKey(of: key) else { return nil }
        let type = typeNames.names[Int(stored.type)]
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

    /// Returns how far a field is past an age given in seconds, in milliseconds; negative while it is below the age.
    ///
    /// A read before the write counts as age 0: the clock that reports such a time is wrong.
    private static func overdue(_ writtenAt: Int64, maxAge: Int, at now: Int64) -> Int64 {
        max(now.subtractingClamped(writtenAt), 0).subtractingClamped(Int64(millisecondsOfSeconds: maxAge))
    }

    /// Returns when the first selected field of an observed entity becomes too old, as readers see it, in milliseconds
    /// since 1970; nil when none ever does.
    ///
    /// - Complexity: As ``expired(_:fields:ages:at:)``.
    package func expiry(ofEntity handle: UInt32, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return nil }
        let stored = queries.keys.key(of: handle)
        let limits = AgeLimits(
            policy: configuration.policy, operation: ages, type: typeNames.names[Int(stored.type)])
        var first: Int64?
        forEachLimit(of: stored, dates(of: stored), fields: fields, limits) { _, writtenAt, maxAge in
            first = min(first ?? .max, writtenAt.addingClamped(Int64(millisecondsOfSeconds: maxAge)))
        }
        return first
    }

    /// Returns when the first entity that an observed list shows becomes too old, or the list itself by its own time to
    /// live, in milliseconds since 1970; nil when neither ever does.
    ///
    /// - Complexity: O(list) times the cost for one entity.
    package func expiry(ofList query: UInt32, fields: Set<[UInt8]>?, ages: OperationAges) -> Int64? {
        guard queries[query].isStored else { return nil }
        var first = queries[query].timeToLive.map { queries[query].storedAt.addingClamped($0) }
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return first }
        for handle in shownHandles(of: query) {
            guard let moment = expiry(ofEntity: handle, fields: fields, ages: ages) else { continue }
            first = min(first ?? .max, moment)
        }
        return first
    }

    /// Whether a query is evaluated over the store, because no upstream or host answers it.
    package func isLocal(_ query: UInt32) -> Bool { queries[query].isLocal }

    /// Returns the limits of an entity's top-level fields as it is stored, without layers.
    ///
    /// - Precondition: The entity is in memory unless it is in no tier.
    package func limits(of key: EntityKey, ages: OperationAges) -> [ByteString: AgeLimit] {
        guard let stored = storedKey(of: key), let index = withIdentity(stored, { entities.find($0) }) else {
            return [:]
        }
        let type = typeNames.names[Int(stored.type)]
        var limits: [ByteString: AgeLimit] = [:]
        AgeLimits(policy: configuration.policy, operation: ages, type: type)
            .forEachLimit(of: entities.payload(of: index), fields: nil) { limits[$0] = $1 }
        return limits
    }

    /// - Precondition: The entity is in memory unless it is in no tier.
    private func dates(of stored: StoredKey) -> FieldDates {
        let index = withIdentity(stored) { entities.find($0) }
        let layered = isLayered(stored) ? queries.keys.handle(of: stored) : nil
        return FieldDates(
            index: index, layers: layered.map { layers.dates(over: $0) },
            stamps: index.flatMap { entities.fieldStamps[$0] }, whole: index.map { entities.stamp(of: $0).writtenAt })
    }

    /// Calls `body` with each field that has a limit, when it was written, and the limit in seconds.
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

/// The times when the fields of one entity, as readers see it, were written.
private struct FieldDates {
    /// The time of an unknown write: far beyond the longest limit, and exact as a JSON number.
    private static let unknown: Int64 = -1 << 53

    /// The entity's slot; nil when only layers have it.
    let index: UInt32?
    /// The dates of the layers' writes; nil without layers.
    let layers: LayerStack.Dates?
    /// The stamps of fields that were written apart; nil when all fields were written at once.
    let stamps: FieldStamps?
    /// The time of the fields that have no stamp, in milliseconds since 1970; nil when only layers have the entity.
    let whole: Int64?

    /// The time of the oldest field write; nil with layers.
    ///
    /// - Complexity: O(fields that were written apart).
    var oldest: Int64? { layers == nil ? whole.map { stamps?.oldest(from: $0) ?? $0 } : nil }

    /// Returns when a field was written, in milliseconds since 1970; a moment older than any limit when it is not
    /// known.
    func writtenAt(_ field: ByteString) -> Int64 {
        let base = stamps?[field].writtenAt ?? whole
        return layers?.date(of: field, base: base) ?? base ?? FieldDates.unknown
    }
}
