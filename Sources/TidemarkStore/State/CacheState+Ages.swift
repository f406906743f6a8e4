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
        return max(now - oldestWrite, 0) >= Int64(least) * 1_000
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
        let index = withIdentity(stored) { entities.find($0) }
        let layered = isLayered(stored) ? queries.keys.handle(of: stored) : nil
        let oldestWrite = layered == nil ? index.map { entities.oldestWrite(of: $0) } : nil
        guard mayBeExpired(type: type, oldestWrite: oldestWrite, ages: ages, at: now) else { return nil }
        let limits = AgeLimits(policy: configuration.policy, operation: ages, type: type)
        let dates = FieldDates(
            layers: layered.map { layers.dates(over: $0) }, stamps: index.flatMap { entities.fieldStamps[$0] },
            whole: index.map { entities.stamp(of: $0).writtenAt })
        // Most fields are ruled out by their dates alone, without looking for them in the resource.
        let suspects = fields?.filter { name in
            let field = ByteString(name)
            guard let least = limits.leastPossible(of: field) else { return false }
            return dates.overdue(field, maxAge: least, at: now).map { $0 >= 0 } ?? false
        }
        if let suspects, suspects.isEmpty { return nil }
        var worst: ExpiredField?
        func look(at resource: UnsafeRawBufferPointer) {
            limits.forEachLimit(of: resource, fields: suspects) { field, maxAge in
                guard let overdue = dates.overdue(field, maxAge: maxAge, at: now), overdue >= 0,
                    let writtenAt = dates.writtenAt(field)
                else { return }
                if worst.map({ overdue > $0.overdue }) ?? true {
                    worst = ExpiredField(
                        key: key, field: field, writtenAt: writtenAt, maxAge: maxAge, overdue: overdue)
                }
            }
        }
        if let layered {
            layers.overlays[layered]?.visible?.withUnsafeBytes(look)
        } else if let index {
            look(at: entities.payload(of: index))
        }
        return worst
    }
}

/// When the fields of one entity, as readers see it, were written.
private struct FieldDates {
    /// nil without layers.
    let layers: LayerStack.Dates?
    /// nil where all fields were written at once.
    let stamps: FieldStamps?
    /// Milliseconds since 1970, of the fields that have no stamp; nil when only layers have the entity.
    let whole: Int64?

    /// Milliseconds since 1970; nil: nobody knows.
    func writtenAt(_ field: ByteString) -> Int64? {
        let base = stamps?[field].writtenAt ?? whole
        return layers?.date(of: field, base: base) ?? base
    }

    /// Milliseconds past an age in seconds, negative below it.
    ///
    /// Before it was written is no time to be read: the clock that says so is wrong.
    func overdue(_ field: ByteString, maxAge: Int, at now: Int64) -> Int64? {
        writtenAt(field).map { max(now - $0, 0) - Int64(maxAge) * 1_000 }
    }
}
