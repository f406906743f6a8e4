/// The program's key for one data file of this process, and for the new file that replaces it.
final class SealedOwner: Sendable {
    let path: String
    let encryption: any DataFileEncryption

    init(_ path: String, _ encryption: any DataFileEncryption) {
        self.path = path
        self.encryption = encryption
    }

    /// Reads the key of a file from its first bytes; nil when they are damaged or sealed under another key.
    func key(header bytes: [UInt8]) -> SealedKey? {
        guard let header = SealedHeader.newest(in: bytes), let key = header.pageKey(encryption) else { return nil }
        return SealedKey(encryption, key: key, identity: header.identity)
    }

    /// Creates the key of a new file, with its first bytes; nil when the program's key cannot seal.
    func makeKey() -> (SealedKey, header: [UInt8])? {
        let (identity, key) = SealedHeader.random()
        guard let header = SealedHeader(identity: identity, key: key, generation: 1, encryption) else { return nil }
        return (SealedKey(encryption, key: key, identity: identity), header.bytes)
    }

    /// Returns true if another value has the same key.
    func isSame(_ other: any DataFileEncryption) -> Bool {
        let (identity, key) = SealedHeader.random()
        return SealedHeader(identity: identity, key: key, generation: 0, encryption)?.isOf(other) ?? false
    }
}
