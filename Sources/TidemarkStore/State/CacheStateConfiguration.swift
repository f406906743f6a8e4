import TidemarkModel

/// The fixed configuration of a cache state.
package struct CacheStateConfiguration: Sendable {
    package var limits: Limits
    /// The library of events that name none: `""`.
    package var defaultLibrary: ByteString
    /// The types that go by another name; both names as on the wire.
    package var typeAliases: [ByteString: ByteString]
    /// The time for which a gap waits for late events, in milliseconds: 50.
    package var reorderWindow: Int64
    /// Whether there is an upstream to ask for missing events.
    package var hasUpstream: Bool
    /// The limits of the ages of what is read.
    package var policy: CachePolicy
    /// The types that are never evicted, as on the wire.
    package var keptTypes: Set<ByteString> = []
    /// The fields of types that stay when their entity is evicted, as on the wire.
    package var keptFields: [ByteString: Set<ByteString>] = [:]
    /// The number of bytes that all lists kept as they were read may take: 8 MiB, in addition to what entities take.
    package var keptListByteCountMax = 8 << 20
    /// The number of bytes of a list that is written: a longer list is in memory only. Smaller values are for tests.
    package var writtenListByteCountMax = QueryRecord.listByteCountMax
    /// The number of bytes of events that are kept for people who look at the log; 0: none.
    package var keptEventByteCountMax = 0
    /// The types that leave memory as soon as the journal has them, as on the wire.
    package var memoryExcludedTypes: Set<ByteString> = []
    /// The types that the journal never has, as on the wire; none of them is in `memoryExcludedTypes`.
    package var diskExcludedTypes: Set<ByteString> = []

    /// The types whose events merge into the entity where they would replace it, as on the wire.
    package var mergedTypes: Set<ByteString> = []

    /// The times of earlier writes of which nobody knows how long ago they were: what was written then is too old for
    /// every limit.
    package var doubts = DoubtfulTimes.none

    /// Whether any rule concerns single types.
    var namesTypes: Bool {
        !mergedTypes.isEmpty || !keptTypes.isEmpty || !keptFields.isEmpty || !memoryExcludedTypes.isEmpty
            || !diskExcludedTypes.isEmpty
    }

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
