/// A line of a generated stream, before faults.
package struct GeneratedLine: Sendable {
    /// The bytes of the line, without the line end.
    package var bytes: [UInt8]
    /// True for a good event with a sequence, which therefore belongs to the upstream's log.
    package var isLogged: Bool

    /// Creates a line.
    package init(bytes: [UInt8], isLogged: Bool) {
        self.bytes = bytes
        self.isLogged = isLogged
    }
}
