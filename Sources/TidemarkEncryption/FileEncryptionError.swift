/// Why a key cannot be used.
public enum FileEncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key does not have 32 bytes but this number.
    case keyLength(Int)

    /// The reason as a sentence, without the key.
    public var description: String {
        switch self {
        case .keyLength(let count): "the key has \(count) bytes; it needs \(FileEncryption.keyByteCount)"
        }
    }
}
