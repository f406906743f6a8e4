import TidemarkModel

/// The libraries of a stream that one process reads.
///
/// - Source: Protocol/jetstream.md, shards.
public enum LibraryScope: Hashable, Sendable {
    /// Every library of the stream.
    case all
    /// Only the named libraries. Bounded by ``JetStreamAddress/libraryCountMax``.
    case named([ByteString])
    /// The libraries for which XXH64 (seed 0) of the id's bytes, modulo `count`, equals `index`. `index` is below
    /// `count`.
    case shard(index: UInt64, count: UInt64)

    /// Returns true if this process reads the library.
    ///
    /// - Complexity: O(length of the id); for `named` also O(number of names).
    public func contains(_ library: ByteString) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains(library)
        case .shard(let index, let count):
            LibraryScope.isOf(library.bytes, index, count)
        }
    }

    /// True if a library with these id bytes belongs to shard `index` of `count`.
    static func isOf(_ library: [UInt8], _ index: UInt64, _ count: UInt64) -> Bool {
        library.withUnsafeBytes { Checksum.xxh64($0) } % count == index
    }
}
