import TidemarkModel

/// The configuration of a cache state, which never changes.
package struct CacheStateConfiguration: Sendable {
    /// The limits of accepted input and of containers.
    package var limits: Limits
    /// The library of events that name none: `""` by default.
    package var defaultLibrary: ByteString
    /// The types that the cache stores under another name: the other name by the type, both as on the wire.
    package var typeAliases: [ByteString: ByteString]
    /// How long a gap waits for late events, in milliseconds: 50 by default.
    package var reorderWindow: Int64
    /// True if an upstream can be asked for missing events.
    package var hasUpstream: Bool
    /// The age limits of what is read, and the cascades of deletes.
    package var policy: CachePolicy
    /// The types whose entities are never evicted, named as on the wire.
    package var keptTypes: Set<ByteString> = []
    /// The fields that stay when an entity of a type is evicted, named as on the wire.
    package var keptFields: [ByteString: Set<ByteString>] = [:]
    /// The most bytes of all kept lists, in addition to entities: 8 MiB. See ``KeptList``.
    package var keptListByteCountMax = 8 << 20
    /// The most bytes of a list in the journal. A longer list is in memory only. Smaller values are for tests.
    package var writtenListByteCountMax = QueryRecord.listByteCountMax
    /// The most bytes of events that are kept for inspection of the log; 0 keeps none.
    package var keptEventByteCountMax = 0
    /// The types whose entities leave memory as soon as the journal has them, named as on the wire.
    package var memoryExcludedTypes: Set<ByteString> = []
    /// The types that are never stored in the journal, named as on the wire. None of them is in `memoryExcludedTypes`.
    package var diskExcludedTypes: Set<ByteString> = []

    /// The types whose events merge into the entity instead of replacing it, named as on the wire.
    package var mergedTypes: Set<ByteString> = []

    /// Which times of earlier writes are unreliable, because the clock was set back. What was written then is too old
    /// for every limit.
    package var doubts = DoubtfulTimes.none

    /// True if any rule concerns single types.
    var namesTypes: Bool {
        !mergedTypes.isEmpty || !keptTypes.isEmpty || !keptFields.isEmpty || !memoryExcludedTypes.isEmpty
            || !diskExcludedTypes.isEmpty
    }

    /// Creates a configuration. Everything without a parameter has its default.
    package init(
        limits: Limits = Limits(), defaultLibrary: ByteString = "", typeAliases: [ByteString: ByteString] = [:],
        reorderWindow: Int64 = 50, hasUpstream: Bool = false, policy: CachePolicy = CachePolicy()
    ) {
        self.limits = limits
        self.defaultLibrary = defaultLibrary
        self.typeAliases = typeAliases
        self.reorderWindow = reorderWindow
        self.hasUpstream = hasUpstream
        self.policy = policy
    }
}
