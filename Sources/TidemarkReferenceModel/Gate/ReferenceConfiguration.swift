/// The settings of a ``ReferenceModel``. The defaults are those of `tidemark ingest`.
package struct ReferenceConfiguration: Sendable {
    /// The library of events that name none.
    package var defaultLibrary: [UInt8] = []
    /// The types in the cache by resource types on the wire.
    package var typeAliases: [[UInt8]: [UInt8]] = [:]
    /// The bytes of a line at most, without LF and one CR before it.
    package var lineByteCountMax = 16 * 1024 * 1024
    /// The bytes of an entity at most, as it is exported.
    package var entityByteCountMax = 16 * 1024 * 1024
    /// The containers that are open at once on a line at most.
    package var nestingMax = 64
    /// The members of a batch at most.
    package var batchCountMax = 100_000
    /// The bytes of an id, a library id, an epoch or a mutation id at most.
    package var idByteCountMax = 1_024
    /// The bytes of a resource type at most.
    package var typeByteCountMax = 128
    /// The libraries of a cache at most.
    package var libraryCountMax = 10_000
    /// The quarantine records that are kept; older ones are removed, all are counted.
    package var quarantineCountMax = 10_000
    /// The bytes of a line that quarantine keeps, and from which the readable fields of a broken line are read.
    package var quarantineByteCountMax = 4_096
    /// The events that a library holds after a gap at most. At least 1.
    package var heldCountMax = 4_096
    /// The bytes of the lines that a library holds after a gap at most.
    package var heldByteCountMax = 8 * 1024 * 1024
    /// The NDJSON log that gaps are filled from; nil when there is none.
    package var upstream: [UInt8]?

    package init() {}

    /// The type aliases of the profile `spacedrive`.
    package static let spacedriveAliases: [[UInt8]: [UInt8]] = [Array("entry".utf8): Array("file".utf8)]
}
