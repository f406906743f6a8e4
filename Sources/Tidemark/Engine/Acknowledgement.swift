import TidemarkModel

/// The progress that is durable after a commit.
public struct Acknowledgement: Sendable, Hashable {
    /// The number of lines of the input whose effects are on the disk, with the effects of all lines before them.
    public var lines: Int64
    /// The cursor of every library that has one.
    public var libraries: [ByteString: EventSequence]

    package init(lines: Int64, libraries: [ByteString: EventSequence]) {
        self.lines = lines
        self.libraries = libraries
    }
}
