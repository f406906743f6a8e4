import TidemarkModel

/// Bytes to read lines from: a file, a pipe, or what a test makes.
package protocol LineInput: Sendable {
    /// Returns when there are bytes to read, at the end, or once ``stop()`` was called.
    ///
    /// - Throws: ``InputError``.
    func waitForBytes() throws(InputError)

    /// Reads the next bytes; waits until there are some.
    ///
    /// - Parameter buffer: Room for them.
    /// - Returns: How many were read; 0 at the end, or once ``stop()`` was called.
    /// - Throws: ``InputError``.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int

    /// Whether a read would give bytes at once.
    func hasUnread() -> Bool

    /// Makes a read that waits, and every later one, return 0.
    func stop()
}

/// Why an input cannot be read.
public struct InputError: Error, Sendable, CustomStringConvertible {
    public var message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
