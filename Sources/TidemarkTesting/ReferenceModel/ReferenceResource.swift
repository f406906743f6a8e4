/// A resource and the id that it is keyed by.
package struct ReferenceResource: Equatable, Sendable {
    /// UUIDs in lower case, integers as their text, other strings as they say.
    package let id: [UInt8]
    /// The object as it arrived.
    package let json: ReferenceJSON
    /// Whether `uuid` gave the id because there was no `id`.
    package let isKeyedByUUID: Bool

    package init(id: [UInt8], json: ReferenceJSON, isKeyedByUUID: Bool) {
        self.id = id
        self.json = json
        self.isKeyedByUUID = isKeyedByUUID
    }
}
