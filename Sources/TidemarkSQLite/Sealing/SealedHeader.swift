import CSQLiteShim
import TidemarkModel

/// The first bytes of an encrypted data file: the key of its pages, sealed under the program's key.
///
/// A file has two copies, so that damage of one copy, or a crash while another key is written, loses nothing.
///
/// - Source: docs/data-file.md, encrypted files.
struct SealedHeader: Equatable {
    /// Counts the changes of the program's key. The copy with the higher number is the valid one.
    let generation: UInt64
    /// Random bytes that are bound to every seal of the file.
    let identity: [UInt8]
    /// No bytes, sealed under the program's key. It opens exactly for the right key.
    let check: [UInt8]
    /// The key of the pages, sealed under the program's key.
    let wrappedKey: [UInt8]

    static let magic = Array("Tidemark sealed\0".utf8)
    static let byteCount = Int(TIDEMARK_SEAL_HEADER_BYTE_COUNT)
    static let copyByteCount = byteCount / 2
    static let keyByteCount = 32
    private static let version: UInt64 = 1
    private static let identityByteCount = 16
    private static let overheadByteCount = Int(TIDEMARK_SEAL_BYTE_COUNT)
    /// Magic, version, generation, identity, check, wrapped key.
    private static let usedByteCount =
        16 + 8 + 8 + identityByteCount + overheadByteCount + keyByteCount
        + overheadByteCount

    /// Creates the header of a file.
    ///
    /// - Returns: nil if the program's key cannot seal.
    init?(identity: [UInt8], key: [UInt8], generation: UInt64, _ encryption: any DataFileEncryption) {
        let place = SealedHeader.place(identity, generation)
        guard let check = SealedHeader.seal([], place, encryption),
            let wrapped = SealedHeader.seal(key, place, encryption)
        else { return nil }
        self.identity = identity
        self.generation = generation
        self.check = check
        wrappedKey = wrapped
    }

    /// Reads one copy.
    ///
    /// - Returns: nil if it is damaged.
    private init?(copy: ArraySlice<UInt8>) {
        var rest = copy
        func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard rest.count >= SealedHeader.usedByteCount + 8 else { return nil }
        let sum = rest.prefix(SealedHeader.usedByteCount).withUnsafeBytes { Checksum.xxh64($0) }
        guard take(16, &rest) == SealedHeader.magic,
            SealedHeader.number(take(8, &rest)) == SealedHeader.version
        else { return nil }
        generation = SealedHeader.number(take(8, &rest))
        identity = take(SealedHeader.identityByteCount, &rest)
        check = take(SealedHeader.overheadByteCount, &rest)
        wrappedKey = take(SealedHeader.keyByteCount + SealedHeader.overheadByteCount, &rest)
        guard SealedHeader.number(take(8, &rest)) == sum else { return nil }
    }

    /// Returns the valid copy among the first bytes of a file; nil if both are damaged or there are none.
    static func newest(in bytes: [UInt8]) -> SealedHeader? {
        copies(bytes).compactMap { $0 }.max { $0.generation < $1.generation }
    }

    /// Returns true if a copy is damaged, or older than the other one.
    static func needsMending(_ bytes: [UInt8]) -> Bool {
        let copies = copies(bytes)
        return copies[0] != copies[1]
    }

    /// Returns true if the first bytes of a file show that it is an encrypted data file, possibly a damaged one.
    static func isMarked(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: magic) || bytes.dropFirst(copyByteCount).starts(with: magic)
    }

    private static func copies(_ bytes: [UInt8]) -> [SealedHeader?] {
        [SealedHeader(copy: bytes.prefix(copyByteCount)), SealedHeader(copy: bytes.dropFirst(copyByteCount))]
    }

    /// Both copies, as they are stored.
    var bytes: [UInt8] {
        var copy = SealedHeader.magic + SealedHeader.little(SealedHeader.version) + SealedHeader.little(generation)
        copy += identity + check + wrappedKey
        copy += SealedHeader.little(copy.withUnsafeBytes { Checksum.xxh64($0) })
        copy += [UInt8](repeating: 0, count: SealedHeader.copyByteCount - copy.count)
        return copy + copy
    }

    /// Returns true if the program's key is the one that this file was sealed under.
    func isOf(_ encryption: any DataFileEncryption) -> Bool {
        SealedHeader.open(check, SealedHeader.place(identity, generation), encryption) != nil
    }

    /// Returns the key of the pages; nil if the program's key is another one, or the wrapped key was forged.
    func pageKey(_ encryption: any DataFileEncryption) -> [UInt8]? {
        SealedHeader.open(wrappedKey, SealedHeader.place(identity, generation), encryption)
    }

    /// Returns random bytes for a new file: its identity and the key of its pages.
    static func random() -> (identity: [UInt8], key: [UInt8]) {
        // Cryptographically secure on all systems of Swift.
        var generator = SystemRandomNumberGenerator()
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        return (bytes(identityByteCount), bytes(keyByteCount))
    }

    private static func place(_ identity: [UInt8], _ generation: UInt64) -> [UInt8] {
        magic + identity + little(generation)
    }

    private static func seal(_ bytes: [UInt8], _ place: [UInt8], _ encryption: any DataFileEncryption) -> [UInt8]? {
        var sealed = [UInt8](repeating: 0, count: bytes.count + overheadByteCount)
        let isSealed = bytes.withUnsafeBytes { bytes in
            place.withUnsafeBytes { place in
                sealed.withUnsafeMutableBytes { encryption.seal(bytes, at: place, key: nil, into: $0) }
            }
        }
        return isSealed ? sealed : nil
    }

    private static func open(_ sealed: [UInt8], _ place: [UInt8], _ encryption: any DataFileEncryption) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: sealed.count - overheadByteCount)
        let isOpen = sealed.withUnsafeBytes { sealed in
            place.withUnsafeBytes { place in
                bytes.withUnsafeMutableBytes { encryption.open(sealed, at: place, key: nil, into: $0) }
            }
        }
        return isOpen ? bytes : nil
    }

    private static func little(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
