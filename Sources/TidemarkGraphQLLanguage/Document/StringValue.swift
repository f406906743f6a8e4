import TidemarkModel

/// A string: a value, or the description of a definition.
package struct StringValue: Hashable, Sendable {
    /// The text in UTF-8 with escapes resolved; for a block string, without its common indentation.
    package var text: ByteString
    /// True if the string was written between `"""`.
    package var isBlock: Bool
    /// The place of the first quote.
    package var place: SourcePlace

    package init(_ text: ByteString, isBlock: Bool, at place: SourcePlace) {
        self.text = text
        self.isBlock = isBlock
        self.place = place
    }
}
