import TidemarkModel

/// What a cache state never changes while it lives.
package struct CacheStateConfiguration: Sendable {
    package var limits: Limits
    /// Events that name no library go here: `""`.
    package var defaultLibrary: ByteString
    /// Types that go by another name; both as on the wire.
    package var typeAliases: [ByteString: ByteString]
    /// How long a gap waits for late events, in milliseconds: 50.
    package var reorderWindow: Int64
    /// Whether there is anyone to ask for missing events.
    package var hasUpstream: Bool
    /// How old what is read may be.
    package var policy: CachePolicy
    /// Types that are never evicted, as on the wire.
    package var keptTypes: Set<ByteString> = []
    /// Fields of types that stay when their entity has to go, as on the wire.
    package var keptFields: [ByteString: Set<ByteString>] = [:]
    /// Bytes of all lists that are kept as they were read, at most: 8 MiB, beside what entities take.
    package var keptListByteCountMax = 8 << 20
    /// Bytes of a list that is written: a longer one is in memory only. Less is for tests.
    package var writtenListByteCountMax = QueryRecord.listByteCountMax
    /// Types that leave memory as soon as the journal has them, as on the wire.
    package var memoryExcludedTypes: Set<ByteString> = []
    /// Types that the journal never has, as on the wire; none of them is in `memoryExcludedTypes`.
    package var diskExcludedTypes: Set<ByteString> = []

    /// Whether anything is said of single types.
    var namesTypes: Bool {
        !keptTypes.isEmpty || !keptFields.isEmpty || !memoryExcludedTypes.isEmpty || !diskExcludedTypes.isEmpty
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
