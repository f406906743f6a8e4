/// One resource of a change, or the id of a delete.
package struct ChangeMember: Sendable {
    /// The id, when it is a UUID.
    package var uuid: UUIDValue
    /// Whether the id is a UUID; false when the id is the bytes of `id`.
    package var isUUID: Bool
    /// The reason why the member cannot be used; then `resource` is its bytes and the id is not used. nil for a usable
    /// member.
    package var reason: QuarantineReason?
    /// The id's bytes, unescaped, when it is not a UUID.
    package var id: ByteRange
    /// The resource as it arrived, without insignificant white space; absent in a delete.
    package var resource: ByteRange

    @inlinable
    package init(
        uuid: UUIDValue, isUUID: Bool, reason: QuarantineReason?, id: ByteRange, resource: ByteRange
    ) {
        self.uuid = uuid
        self.isUUID = isUUID
        self.reason = reason
        self.id = id
        self.resource = resource
    }
}
