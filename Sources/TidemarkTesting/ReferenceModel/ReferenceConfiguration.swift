/// Everything that can be set on a ``ReferenceModel``. The defaults are those of `tidemark ingest`.
package struct ReferenceConfiguration: Sendable {
    /// The library of events that name none.
    package var defaultLibrary: [UInt8] = []
    /// Resource type on the wire → type in the cache.
    package var typeAliases: [[UInt8]: [UInt8]] = [:]
    /// Bytes of a line, LF and one CR before it not counted.
    package var lineByteCountMax = 16 * 1024 * 1024
    /// Bytes of an entity, as it is exported.
    package var entityByteCountMax = 16 * 1024 * 1024
    /// Containers open at once on a line.
    package var nestingMax = 64
    /// Members of a batch.
    package var batchCountMax = 100_000
    /// Bytes of an id, of a library id, of an epoch, of a mutation id.
    package var idByteCountMax = 1_024
    /// Bytes of a resource type.
    package var typeByteCountMax = 128
    /// Libraries a cache knows.
    package var libraryCountMax = 10_000
    /// Quarantine records that are kept; older ones fall out, all are counted.
    package var quarantineCountMax = 10_000
    /// Bytes of a line that quarantine keeps, and that what a broken line still says is read from.
    package var quarantineByteCountMax = 4_096
    /// Events held behind a gap, a library. At least 1.
    package var heldCountMax = 4_096
    /// Bytes of the lines held behind a gap, a library.
    package var heldByteCountMax = 8 * 1024 * 1024
    /// An NDJSON log that gaps are filled from; nil when there is none.
    package var upstream: [UInt8]?

    package init() {}

    /// The type aliases of the profile `spacedrive`.
    package static let spacedriveAliases: [[UInt8]: [UInt8]] = [Array("entry".utf8): Array("file".utf8)]
}
