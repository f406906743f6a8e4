import TidemarkModel

/// A name in a document: `[_A-Za-z][_0-9A-Za-z]*`.
package struct Name: Hashable, Sendable {
    package var text: ByteString
    package var place: SourcePlace

    package init(_ text: ByteString, at place: SourcePlace) {
        self.text = text
        self.place = place
    }
}
