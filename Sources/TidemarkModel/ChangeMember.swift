/// One resource of a change, or the id of a delete.
package struct ChangeMember: Sendable {
    /// The id when it is a UUID.
    package var uuid: UUIDValue
    /// False when the id is `id`'s bytes.
    package var isUUID: Bool
    /// Set when the member cannot be used; then `resource` is its bytes and the id counts for nothing.
    package var reason: QuarantineReason?
    /// The id's bytes, unescaped, when it is no UUID.
    package var id: ByteRange
    /// The resource as it arrived, less insignificant white space; absent in a delete.
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
