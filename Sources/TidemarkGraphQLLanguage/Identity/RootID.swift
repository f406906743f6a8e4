import TidemarkModel

/// Makes the id of a root field's entity: its storage name, or a shorter name if that is too long for an id.
///
/// - Source: Protocol/graphql.md, storage names.
package enum RootID {
    /// The longest id, in bytes: 1,024.
    package static let byteCountMax = 1_024

    /// Returns the id of a root field's entity.
    ///
    /// - Parameters:
    ///   - storageName: The storage name of the field.
    ///   - field: The field's own name, not its alias.
    package static func of(_ storageName: ByteString, field: ByteString) -> ByteString {
        guard storageName.bytes.count > byteCountMax else { return storageName }
        let digest = SHA256Digest(of: storageName.bytes).hexadecimal.utf8.prefix(32)
        return ByteString(field.bytes.prefix(byteCountMax - 33) + [UInt8(ascii: "#")] + digest)
    }
}
