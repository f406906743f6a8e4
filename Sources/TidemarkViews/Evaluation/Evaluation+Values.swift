import TidemarkModel
import TidemarkStore

extension Evaluation {
    /// The value of a reference, given the entities that are bound.
    ///
    /// - Parameter includes: The values of the view's includes that were evaluated for the row, by their index.
    func value(_ reference: ViewReference, includes: [Int: [UInt8]] = [:]) -> ValueSlice? {
        switch reference {
        case .source(let path): resource(path.slot).flatMap { ValueSlice($0, at: path.pointer) }
        case .include(let index, let pointer): includes[index].flatMap { ValueSlice($0, at: pointer) }
        case .member: nil
        }
    }

    func value(_ path: ViewPath) -> ValueSlice? { value(.source(path)) }

    /// Returns true if a condition on sources holds.
    func holds(_ predicate: ViewPredicate, includes: [Int: [UInt8]] = [:]) -> Bool {
        predicate.holds(binding) { value($0, includes: includes) }
    }

    /// The sort key of the row that is bound: the components of the order, then the ids of its entities.
    func sortKey(_ body: PlanBody, includes: [Int: [UInt8]] = [:]) -> [UInt8] {
        var key: [UInt8] = []
        for component in body.order {
            SortKey.append(value(component.reference, includes: includes), component.isDescending, to: &key)
        }
        for slot in body.rowSlots { SortKey.append(id: self.key(slot)?.id, to: &key) }
        return key
    }

    /// The structural includes of the row that is bound, by their index.
    mutating func structuralIncludes() -> [Int: [UInt8]] {
        var values: [Int: [UInt8]] = [:]
        for index in plan.structuralIncludes { values[index] = includeValue(plan.body.includes[index]) }
        return values
    }
}

/// Builds keys whose byte order is the order of rows.
enum SortKey {
    /// Appends a component of an order; nil stands for an absent value.
    static func append(_ value: ValueSlice?, _ isDescending: Bool, to key: inout [UInt8]) {
        let start = key.count
        ValueSlice.appendOrdered(value, to: &key)
        if isDescending { for at in start..<key.count { key[at] = ~key[at] } }
    }

    /// Appends the id of an entity; no entity comes first.
    static func append(id: ByteString?, to key: inout [UInt8]) {
        guard let id else {
            key.append(0)
            return
        }
        key.append(1)
        append(text: id.bytes, to: &key)
    }

    /// Appends a text so that it sorts before all longer ones, whatever follows in the key.
    static func append(text: [UInt8], to key: inout [UInt8]) {
        for byte in text {
            key.append(byte)
            if byte == 0 { key.append(0xFF) }
        }
        key += [0, 0]
    }
}
