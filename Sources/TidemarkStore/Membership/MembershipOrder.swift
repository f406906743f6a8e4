/// One component of a list's `order`.
struct MembershipOrder: Sendable {
    let pointer: RulePointer
    let isDescending: Bool

    /// Appends the component's part of a resource's sort key.
    func append(_ resource: ResourceView, to key: inout [UInt8]) {
        let start = key.count
        ValueCode.appendOrdered(resource.value(at: pointer), of: resource.bytes, to: &key)
        if isDescending { for at in start..<key.count { key[at] = ~key[at] } }
    }
}
