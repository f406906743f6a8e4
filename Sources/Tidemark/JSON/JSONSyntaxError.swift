/// Why a text is no JSON value, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte that is wrong, from 0; the length of the text when it ends too early.
    public var byteOffset: Int
    /// What was found, or what was missing.
    public var message: String

    public init(byteOffset: Int, _ message: String) {
        self.byteOffset = byteOffset
        self.message = message
    }

    public var description: String { "no JSON at byte \(byteOffset): \(message)" }
}
