/// The bytes of an input file, with the path that findings name.
package struct SourceText: Hashable, Sendable {
    /// The path of the file.
    package var path: String
    /// The content in UTF-8.
    package var bytes: [UInt8]

    /// Creates a source.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
