/// The bounds of served scopes, each with its default.
///
/// - Source: Protocol/scopes.md, limits.
package struct ScopeServingLimits: Hashable, Sendable {
    /// The most streams at a time: 10,000.
    package var streamCountMax = 10_000
    /// The most streams of one subject at a time: 20.
    package var subjectStreamCountMax = 20
    /// The most scopes that one subject has at a time, those that are kept for a while included: 100. The one that it
    /// left first then goes.
    package var subjectScopeCountMax = 100
    /// The bytes that wait for one stream: 1 MiB. Past them changes of one entity are merged.
    package var waitingByteCountMax = 1 << 20
    /// How long a client may take nothing while something waits for it: 30 s, in milliseconds.
    package var takeMillisecondCount: Int64 = 30_000
    /// The interval of heartbeats: 15 s, in milliseconds.
    package var heartbeatMillisecondCount: Int64 = 15_000
    /// How long a scope stays evaluated after its last stream: 60 s, in milliseconds.
    package var idleMillisecondCount: Int64 = 60_000
    /// The lines of one answer to a request for missing ones: 4 MiB.
    package var answerByteCountMax = 4 << 20

    /// Creates the default bounds.
    package init() {}
}
