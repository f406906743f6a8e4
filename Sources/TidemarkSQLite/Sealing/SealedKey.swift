import CSQLiteShim

/// The key of an encrypted file's pages, with which its chunks are sealed and opened.
final class SealedKey: Sendable {
    private let encryption: any DataFileEncryption
    private let key: [UInt8]
    private let identity: [UInt8]

    /// Marks a log of an encrypted file.
    static let logMagic = Array("Tidemark log\0\0\0\u{1}".utf8)

    init(_ encryption: any DataFileEncryption, key: [UInt8], identity: [UInt8]) {
        self.encryption = encryption
        self.key = key
        self.identity = identity
    }

    /// The bytes before the header of a log.
    var logPrefix: [UInt8] { SealedKey.logMagic + identity }

    /// Seals a chunk of a file.
    ///
    /// - Parameters:
    ///   - kind: What the chunk is part of, as `tidemark_seal_kind` numbers it.
    ///   - chunk: The number of the chunk in its file, from 0.
    func seal(
        _ bytes: UnsafeRawBufferPointer, kind: Int32, chunk: UInt64, into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
        withPlace(kind, chunk) { encryption.seal(bytes, at: $0, key: key, into: sealed) }
    }

    /// Opens a chunk of a file.
    func open(
        _ sealed: UnsafeRawBufferPointer, kind: Int32, chunk: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        withPlace(kind, chunk) { encryption.open(sealed, at: $0, key: key, into: bytes) }
    }

    /// The place of a chunk: the identity of the file, the kind, and the number.
    private func withPlace(_ kind: Int32, _ chunk: UInt64, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: identity.count + 9, alignment: 8) { place in
            place.copyBytes(from: identity)
            place[identity.count] = UInt8(truncatingIfNeeded: kind)
            withUnsafeBytes(of: chunk.littleEndian) {
                UnsafeMutableRawBufferPointer(rebasing: place[(identity.count + 1)...]).copyMemory(from: $0)
            }
            return body(UnsafeRawBufferPointer(place))
        }
    }
}
