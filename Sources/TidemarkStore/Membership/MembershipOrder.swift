/// One component of the order of a list.
struct MembershipOrder: Sendable {
    let pointer: JSONPointer
    let isDescending: Bool

    /// Appends the resource's part of a sort key.
    func append(_ resource: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        let start = key.count
        ValueCode.appendOrdered(pointer.value(in: resource), of: resource, to: &key)
        if isDescending { for at in start..<key.count { key[at] = ~key[at] } }
    }
}
