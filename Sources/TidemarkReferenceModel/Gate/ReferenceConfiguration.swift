/// The settings of a ``ReferenceModel``. The defaults are those of `tidemark ingest`.
package struct ReferenceConfiguration: Sendable {
    /// The library of events that name none.
    package var defaultLibrary: [UInt8] = []
    /// The types in the cache, by resource type on the wire.
    package var typeAliases: [[UInt8]: [UInt8]] = [:]
    /// The maximum size of a line in bytes, without LF and one CR before it.
    package var lineByteCountMax = 16 * 1024 * 1024
    /// The maximum size of an entity in bytes, as exported.
    package var entityByteCountMax = 16 * 1024 * 1024
    /// The maximum number of containers that are open at once on a line.
    package var nestingMax = 64
    /// The maximum number of members of a batch.
    package var batchCountMax = 100_000
    /// The maximum size of an id, a library id, an epoch or a mutation id, in bytes.
    package var idByteCountMax = 1_024
    /// The maximum size of a resource type in bytes.
    package var typeByteCountMax = 128
    /// The maximum number of libraries.
    package var libraryCountMax = 10_000
    /// The maximum number of quarantine records; the oldest are removed, all are counted.
    package var quarantineCountMax = 10_000
    /// How many bytes of a line the quarantine keeps; the readable fields of a broken line come from these.
    package var quarantineByteCountMax = 4_096
    /// The maximum number of events that a library holds after a gap; at least 1.
    package var heldCountMax = 4_096
    /// The maximum size of the lines that a library holds after a gap, in bytes.
    package var heldByteCountMax = 8 * 1024 * 1024
    /// The maximum size of an open unit in bytes of its lines, each of which counts at least 256.
    package var unitByteCountMax = 64 * 1024 * 1024
    /// The upstream's log as NDJSON; nil without an upstream.
    package var upstream: [UInt8]?

    /// Creates the default settings.
    package init() {}

    /// The type aliases of the profile `spacedrive`.
    package static let spacedriveAliases: [[UInt8]: [UInt8]] = [Array("entry".utf8): Array("file".utf8)]
}
