/// A resource and its id in a key.
package struct ReferenceResource: Equatable, Sendable {
    /// The id: UUIDs in lower case, integers as their text, other strings unchanged.
    package let id: [UInt8]
    /// The object as it arrived.
    package let json: ReferenceJSON
    /// True if the id comes from `uuid` because there was no `id`.
    package let isKeyedByUUID: Bool

    /// Creates a resource.
    package init(id: [UInt8], json: ReferenceJSON, isKeyedByUUID: Bool) {
        self.id = id
        self.json = json
        self.isKeyedByUUID = isKeyedByUUID
    }
}
