import TidemarkModel

/// What is durable after a commit.
public struct Acknowledgement: Sendable, Hashable {
    /// Lines of the input whose effects, and those of all lines before them, are on the disk.
    public var lines: Int64
    /// The cursor of every library that has one.
    public var libraries: [ByteString: EventSequence]

    package init(lines: Int64, libraries: [ByteString: EventSequence]) {
        self.lines = lines
        self.libraries = libraries
    }
}
