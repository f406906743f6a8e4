/// A text is not JSON, with the place where that shows.
///
/// ```swift
/// do throws(JSONSyntaxError) {
///     _ = try JSONValue(parsing: Array(#"{"size":01}"#.utf8))
/// } catch {
///     print(error.byteOffset, error.message)
/// }
/// ```
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the first wrong byte, from 0; the length of the text when it ends too early.
    public var byteOffset: Int
    /// What was found at that byte, or what is missing there.
    public var message: String

    /// Makes an error at a byte.
    public init(byteOffset: Int, _ message: String) {
        self.byteOffset = byteOffset
        self.message = message
    }

    /// The error as one line: `not JSON at byte 9: …`.
    public var description: String { "not JSON at byte \(byteOffset): \(message)" }
}
