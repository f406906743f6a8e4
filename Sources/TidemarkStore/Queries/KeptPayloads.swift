/// Payloads by handle. Most units need exactly one, for which a dictionary would cost more than the rest of the unit.
struct KeptPayloads {
    private var first: (handle: ListHandle, payload: [UInt8])?
    private var others: [ListHandle: [UInt8]] = [:]

    var isEmpty: Bool { first == nil }

    /// Keeps a payload until ``removeAll()``.
    mutating func keep(_ payload: [UInt8], of handle: ListHandle) {
        if first == nil { first = (handle, payload) } else { others[handle] = payload }
    }

    subscript(handle: ListHandle) -> [UInt8]? {
        guard let first else { return nil }
        if first.handle == handle { return first.payload }
        return others.isEmpty ? nil : others[handle]
    }

    mutating func removeAll() {
        first = nil
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }
}
