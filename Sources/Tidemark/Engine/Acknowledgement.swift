import TidemarkModel

/// What a commit made durable: the lines of one input, and the cursors of all libraries.
public struct Acknowledgement: Sendable, Hashable {
    /// The number of lines, from the beginning of the input, whose effects are all on the disk.
    public var lines: Int64
    /// The durable cursor of every library that has one, by the library's name.
    public var libraries: [ByteString: EventSequence]

    package init(lines: Int64, libraries: [ByteString: EventSequence]) {
        self.lines = lines
        self.libraries = libraries
    }
}
