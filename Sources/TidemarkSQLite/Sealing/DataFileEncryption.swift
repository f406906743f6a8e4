/// Seals and opens the parts of an encrypted data file with the key of a program. `TidemarkEncryption` has one for
/// AES-256-GCM and ChaCha20-Poly1305.
///
/// A value of this type holds the program's key. Each file has a random key of its own for its pages, which is stored
/// in the file, sealed under the program's key.
///
/// ```swift
/// func configuration(_ encryption: any DataFileEncryption) -> SQLiteJournal.Configuration {
///     var configuration = SQLiteJournal.Configuration(path: "cache.db")
///     configuration.encryption = encryption
///     return configuration
/// }
/// ```
///
/// Both functions run on several threads at once, and must not block.
///
/// - Source: docs/data-file.md, encrypted files.
public protocol DataFileEncryption: Sendable {
    /// Seals bytes, so that whoever does not have the key cannot read them or change them unnoticed.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to seal; may be empty.
    ///   - place: Where the bytes are stored. The seal opens only with the same place.
    ///   - key: The key to seal with, 32 bytes; nil for the program's own key.
    ///   - sealed: Receives the sealed bytes: exactly 28 more than `bytes`.
    /// - Returns: False if the bytes cannot be sealed, for example because the key is not available.
    func seal(
        _ bytes: UnsafeRawBufferPointer, at place: UnsafeRawBufferPointer, key: [UInt8]?,
        into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool

    /// Opens bytes that ``seal(_:at:key:into:)`` returned.
    ///
    /// - Parameters:
    ///   - sealed: The sealed bytes, at least 28.
    ///   - place: The place that was passed when the bytes were sealed.
    ///   - key: The key that was passed when the bytes were sealed.
    ///   - bytes: Receives the bytes: exactly 28 fewer than `sealed`. What it has after a call that returns false is
    ///     not used.
    /// - Returns: False if the bytes were not sealed with this key and this place, or were changed.
    func open(
        _ sealed: UnsafeRawBufferPointer, at place: UnsafeRawBufferPointer, key: [UInt8]?,
        into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool
}
