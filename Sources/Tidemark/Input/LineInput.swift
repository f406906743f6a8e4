import TidemarkModel

/// A source of bytes to read lines from, such as a file, a pipe or a test's own.
package protocol LineInput: Sendable {
    /// Returns when there are bytes to read, at the end, or once ``stop()`` was called.
    ///
    /// - Throws: ``InputError`` when the input cannot be read.
    func waitForBytes() throws(InputError)

    /// Reads the next bytes; waits until there are some.
    ///
    /// - Parameter buffer: The memory for the bytes.
    /// - Returns: The number of bytes read; 0 at the end, or once ``stop()`` was called.
    /// - Throws: ``InputError`` when the input cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int

    /// Returns who wrote the envelopes of the lines that the next read returns. Called after ``waitForBytes()``; the
    /// lines of one read have one origin.
    func nextOrigin() -> LineOrigin

    /// Returns true if a read would return bytes at once.
    func hasUnread() -> Bool

    /// Makes the current read and all later ones return 0.
    func stop()
}

extension LineInput {
    /// Returns ``/TidemarkModel/LineOrigin/producer``: the lines are as their producers wrote them.
    package func nextOrigin() -> LineOrigin { .producer }
}

/// The input cannot be read.
public struct InputError: Error, Sendable, CustomStringConvertible {
    /// What failed, in words.
    public var message: String

    /// Makes an error with a message.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
