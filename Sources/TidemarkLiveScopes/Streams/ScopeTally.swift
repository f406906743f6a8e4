/// What was served of the scopes of one name since the start.
package struct ScopeTally: Hashable, Sendable {
    /// The streams that are open.
    package var streamCount = 0
    /// The lines that were given to streams.
    package var lineCount: Int64 = 0
    /// Their bytes.
    package var byteCount: Int64 = 0
    /// The states among them.
    package var stateCount: Int64 = 0
    /// The streams that were cut because their client took nothing.
    package var cutCount: Int64 = 0
    /// The entities in the scopes that somebody has.
    package var entityCount = 0
    /// The bytes that wait for clients.
    package var waitingByteCount = 0
    /// The units that the slowest client has still to be sent.
    package var lagCount = 0
    /// The scopes that somebody has.
    package var scopeCount = 0

    /// Creates counts of nothing.
    package init() {}
}
