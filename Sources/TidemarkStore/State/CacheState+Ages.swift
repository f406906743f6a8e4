import TidemarkModel

/// How old what is read may be.
extension CacheState {
    /// Whether an entity can hold a field that is too old for anybody; false for nearly every read, which then looks at no field.
    ///
    /// - Parameters:
    ///   - type: On the wire, or an alias.
    ///   - oldestWrite: Of its fields; nil: not known.
    /// - Complexity: O(type's name + ages).
    package func mayBeExpired(type: ByteString, oldestWrite: Int64?, ages: OperationAges, at now: Int64) -> Bool {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return false }
        let type = configuration.typeAliases.isEmpty ? type : configuration.typeAliases[type] ?? type
        guard let least = configuration.policy.leastAge(of: type, operation: ages) else { return false }
        guard let oldestWrite else { return true }
        return max(now.subtractingClamped(oldestWrite), 0) >= Int64(millisecondsOfSeconds: least)
    }

    /// The selected field that is longest past its age, of an entity as readers see it; nil when none is.
    ///
    /// A field is too old when its age has reached its limit. Every write of a field renews its age, a layer's too.
    ///
    /// - Parameter fields: nil: all.
    /// - Precondition: The entity is in memory if it is anywhere.
    /// - Complexity: O(fields that were written apart); O(resource) when one is old enough that it could be too old.
    package func expired(
        _ key: EntityKey, fields: Set<[UInt8]>?, ages: OperationAges, at now: Int64
    ) -> ExpiredField? {
        guard !configuration.policy.types.isEmpty || !ages.isEmpty, let stored = storedKey(of: key) else { return nil }
        let type = typeNames.names[Int(stored.type)]
        let dates = dates(of: stored)
        guard mayBeExpired(type: type, oldestWrite: dates.oldest, ages: ages, at: now) else { return nil }
        // Most fields are ruled out by their dates alone, without looking for them in the resource.
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

    /// Milliseconds past an age in seconds, negative below it.
    ///
    /// Before it was written is no time to be read: the clock that says so is wrong.
    private static func overdue(_ writtenAt: Int64, maxAge: Int, at now: Int64) -> Int64 {
        max(now.subtractingClamped(writtenAt), 0).subtractingClamped(Int64(millisecondsOfSeconds: maxAge))
    }

    /// When the first selected field of an observed entity becomes too old, as readers see it; nil when none ever does.
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

    /// When the first of what an observed list shows becomes too old, or the list itself by its own time; nil when nothing
    /// ever does.
    ///
    /// - Complexity: O(list) times that of an entity.
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

    /// Whether a query is evaluated over the store: there is nobody who knows better.
    package func isLocal(_ query: UInt32) -> Bool { queries[query].isLocal }

    /// The limits of an entity's top-level fields as it is stored, without layers.
    ///
    /// - Precondition: It is in memory if it is anywhere.
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

    /// - Precondition: The entity is in memory if it is anywhere.
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

/// When the fields of one entity, as readers see it, were written.
private struct FieldDates {
    /// Far beyond the longest limit, and exact as a number of JSON.
    private static let unknown: Int64 = -1 << 53

    /// Its slot; nil when only layers have it.
    let index: UInt32?
    /// nil without layers.
    let layers: LayerStack.Dates?
    /// nil where all fields were written at once.
    let stamps: FieldStamps?
    /// Milliseconds since 1970, of the fields that have no stamp; nil when only layers have the entity.
    let whole: Int64?

    /// Of the field that was written longest ago; nil with layers.
    ///
    /// - Complexity: O(fields that were written apart).
    var oldest: Int64? { layers == nil ? whole.map { stamps?.oldest(from: $0) ?? $0 } : nil }

    /// Milliseconds since 1970; where nobody knows, a moment that is older than any limit.
    func writtenAt(_ field: ByteString) -> Int64 {
        let base = stamps?[field].writtenAt ?? whole
        return layers?.date(of: field, base: base) ?? base ?? FieldDates.unknown
    }
}
