/// The bounds of scopes, each with its default.
package struct ScopeLimits: Hashable, Sendable {
    /// The largest file: 1 MiB.
    package var fileByteCountMax = 1 << 20
    /// The most scopes of a file: 1,000.
    package var scopeCountMax = 1_000
    /// The most parameters of a scope, types of a scope, conditions of `require`, and names in `fields` or `without`:
    /// 1,000 each.
    package var partCountMax = 1_000
    /// The longest value of a parameter from the address: 1,024 bytes.
    package var addressValueByteCountMax = 1_024
    /// The longest line: 1 MiB. An entity that is larger has a line of its own.
    package var lineByteCountMax = 1 << 20
    /// How long departures are kept: 24 hours, in seconds.
    package var historySecondCount: Int64 = 24 * 60 * 60
    /// The share of a scope's entities up to which older departures are kept too: 10, in percent.
    package var historyPercent = 10
    /// The most departures of a scope that are kept, however young: 1,000,000. The oldest is then forgotten.
    package var departureCountMax = 1_000_000
    /// The most settled edits that are kept for their authors in one scope: 10,000. The oldest is then forgotten.
    package var noteCountMax = 10_000
    /// The most deliveries of different positions that are under way in one scope: 64. A further one waits.
    package var snapshotCountMax = 64
    /// The most scopes that are held at a time: 100,000. A further one is refused.
    package var heldScopeCountMax = 100_000

    /// Creates the default bounds.
    package init() {}
}
