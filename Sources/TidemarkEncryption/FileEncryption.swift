import Foundation
import TidemarkSQLite

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// Encrypts data files with a key of the program, by AES-256-GCM or ChaCha20-Poly1305.
///
/// Where the key comes from is the program's choice: the Keychain, a file, or a secret of the environment. Whoever
/// loses it loses the file.
///
/// ```swift
/// var configuration = SQLiteJournal.Configuration(path: "cache.db")
/// configuration.encryption = try FileEncryption(key: [UInt8](repeating: 7, count: 32))
/// let journal = try await SQLiteJournal.open(configuration)
/// try await journal.close()
/// ```
///
/// - Source: docs/data-file.md, encrypted files.
public struct FileEncryption: DataFileEncryption {
    /// A method of encryption with authentication.
    public enum Cipher: CaseIterable, Hashable, Sendable {
        /// AES-256 in Galois/Counter Mode, which processors have instructions for.
        case aes256GCM
        /// ChaCha20-Poly1305, which is faster on processors without such instructions.
        case chaCha20Poly1305
    }

    /// The length of a key in bytes: 32.
    public static let keyByteCount = 32

    private let key: SymmetricKey
    private let cipher: Cipher

    /// Creates the encryption with a key.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes, the same for each opening of a file.
    ///   - cipher: The method, the same for each opening of a file.
    /// - Throws: ``FileEncryptionError`` if the key has another length.
    public init(key: [UInt8], cipher: Cipher = .aes256GCM) throws(FileEncryptionError) {
        guard key.count == FileEncryption.keyByteCount else { throw FileEncryptionError.keyLength(key.count) }
        self.key = SymmetricKey(data: key)
        self.cipher = cipher
    }

    /// Seals bytes under the program's key or the key of a file.
    public func seal(
        _ bytes: UnsafeRawBufferPointer, at place: UnsafeRawBufferPointer, key: [UInt8]?,
        into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let key = key.map { SymmetricKey(data: $0) } ?? self.key
        do {
            let combined: Data? =
                switch cipher {
                case .aes256GCM: try AES.GCM.seal(bytes, using: key, authenticating: place).combined
                case .chaCha20Poly1305: try ChaChaPoly.seal(bytes, using: key, authenticating: place).combined
                }
            guard let combined, combined.count == sealed.count else { return false }
            combined.copyBytes(to: sealed)
            return true
        } catch {
            // The caller reports that the bytes were not sealed; there is nothing else to know.
            return false
        }
    }

    /// Opens bytes that were sealed under the program's key or the key of a file.
    public func open(
        _ sealed: UnsafeRawBufferPointer, at place: UnsafeRawBufferPointer, key: [UInt8]?,
        into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let key = key.map { SymmetricKey(data: $0) } ?? self.key
        do {
            let opened: Data
            switch cipher {
            case .aes256GCM:
                opened = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: place)
            case .chaCha20Poly1305:
                opened = try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed), using: key, authenticating: place)
            }
            guard opened.count == bytes.count else { return false }
            opened.copyBytes(to: bytes)
            return true
        } catch {
            // Another key, another place, or changed bytes: the caller decides which of them it reports.
            return false
        }
    }
}
