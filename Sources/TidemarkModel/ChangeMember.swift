/// A resource of a change, or the id of a delete.
package struct ChangeMember: Sendable {
    /// The id if it is a UUID; otherwise without meaning.
    package var uuid: UUIDValue
    /// True if the id is `uuid`; false if it is the bytes of `id`.
    package var isUUID: Bool
    /// Why the member cannot be used; then `resource` is all of its bytes and the id has no meaning. nil for a usable
    /// member.
    package var reason: QuarantineReason?
    /// The bytes of an id that is not a UUID, without escapes.
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
