import TidemarkModel

/// The place of a stored response in the order of a listing.
package struct HTTPPlace: Hashable, Sendable {
    /// The library of the stored response.
    package var library: ByteString
    /// The URL of the stored response.
    package var url: ByteString
    /// The number of the stored response.
    package var number: Int64

    /// Creates the place of a stored response.
    package init(library: ByteString, url: ByteString, number: Int64) {
        self.library = library
        self.url = url
        self.number = number
    }
}
