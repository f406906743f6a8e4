import TidemarkModel

/// A source of bytes to read lines from: a file, a pipe, or a test's own.
package protocol LineInput: Sendable {
    /// Returns when there are bytes to read, at the end, or once ``stop()`` was called.
    ///
    /// - Throws: ``InputError``.
    func waitForBytes() throws(InputError)

    /// Reads the next bytes; waits until there are some.
    ///
    /// - Parameter buffer: The memory for the bytes.
    /// - Returns: The number of bytes read; 0 at the end, or once ``stop()`` was called.
    /// - Throws: ``InputError``.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int

    /// Tells who wrote the envelopes of the lines that the next read returns. Called after ``waitForBytes()``; a read
    /// returns lines of one origin.
    func nextOrigin() -> LineOrigin

    /// Tells whether a read would return bytes at once.
    func hasUnread() -> Bool

    /// Makes a waiting read, and every later one, return 0.
    func stop()
}

extension LineInput {
    /// Lines come as their producers wrote them.
    package func nextOrigin() -> LineOrigin { .producer }
}

/// The error of an input that cannot be read.
public struct InputError: Error, Sendable, CustomStringConvertible {
    public var message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
