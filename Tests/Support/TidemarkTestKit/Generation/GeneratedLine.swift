/// A line of a generated stream, before faults.
package struct GeneratedLine: Sendable {
    /// The line's bytes, without the line end.
    package var bytes: [UInt8]
    /// Whether it is a good event with a sequence, and so belongs to the upstream's log.
    package var isLogged: Bool

    package init(bytes: [UInt8], isLogged: Bool) {
        self.bytes = bytes
        self.isLogged = isLogged
    }
}
