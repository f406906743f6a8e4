import TidemarkModel

/// The libraries of a stream that one process reads.
///
/// - Source: Protocol/jetstream.md, shards.
public enum LibraryScope: Hashable, Sendable {
    case all
    /// The named libraries alone. Bounded by ``JetStreamAddress/libraryCountMax``.
    case named([ByteString])
    /// The libraries whose XXH64 with seed 0 of the id's bytes, modulo `count`, is `index`.
    case shard(index: UInt64, count: UInt64)

    /// - Complexity: O(id); for named ones O(their number).
    public func contains(_ library: ByteString) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains(library)
        case .shard(let index, let count):
            LibraryScope.isOf(library.bytes, index, count)
        }
    }

    /// Whether a library is of a shard.
    static func isOf(_ library: [UInt8], _ index: UInt64, _ count: UInt64) -> Bool {
        library.withUnsafeBytes { Checksum.xxh64($0) } % count == index
    }
}
