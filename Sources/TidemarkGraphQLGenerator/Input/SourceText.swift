/// A document of operations and fragments: the bytes of one file, with the path that findings name.
package struct SourceText: Hashable, Sendable {
    package var path: String
    /// UTF-8.
    package var bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
