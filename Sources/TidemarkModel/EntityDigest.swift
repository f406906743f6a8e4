/// A digest of a cache's entities that does not depend on their order (laws L1, L11).
///
/// ```swift
/// var digest = EntityDigest()
/// digest.add(EntityKey(type: "photo", id: "1"), payload: Array(#"{"id":"1"}"#.utf8))
/// print(digest)  // 16 hexadecimal digits
/// ```
///
/// It is the sum of one XXH64 for each entity, over its library, type, id and payload. Each part is preceded by its
/// length, so that different splits of the same bytes have different digests.
public struct EntityDigest: Hashable, Sendable, CustomStringConvertible {
    /// The sum, modulo 2^64.
    public private(set) var value: UInt64 = 0
    private var bytes: [UInt8] = []

    /// Makes the digest of no entities.
    public init() {}

    /// Adds an entity.
    ///
    /// - Complexity: O(payload.count).
    public mutating func add(_ key: EntityKey, payload: [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        for part in [key.library.bytes, key.type.bytes, key.id.bytes, payload] {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part)
        }
        value &+= bytes.withUnsafeBytes { Checksum.xxh64($0) }
    }

    /// Adds the entities of another digest.
    public mutating func add(_ other: EntityDigest) { value &+= other.value }

    /// Returns true if both digests are of the same entities, as far as 64 bits show.
    public static func == (left: EntityDigest, right: EntityDigest) -> Bool { left.value == right.value }

    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// The digest as 16 hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
