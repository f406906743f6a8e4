import TidemarkModel

/// A string: a value, or the description of a definition.
package struct StringValue: Hashable, Sendable {
    /// UTF-8, with escapes resolved; of a block string without its common indentation.
    package var text: ByteString
    /// It was written between `"""`.
    package var isBlock: Bool
    /// Of its first quote.
    package var place: SourcePlace

    package init(_ text: ByteString, isBlock: Bool, at place: SourcePlace) {
        self.text = text
        self.isBlock = isBlock
        self.place = place
    }
}
