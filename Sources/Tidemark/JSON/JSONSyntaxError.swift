/// An error in a text that should be a JSON value, with its place.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the first wrong byte, from 0; the length of the text when it ends too early.
    public var byteOffset: Int
    /// A description of the error: the text that was found, or that is missing.
    public var message: String

    public init(byteOffset: Int, _ message: String) {
        self.byteOffset = byteOffset
        self.message = message
    }

    public var description: String { "not JSON at byte \(byteOffset): \(message)" }
}
