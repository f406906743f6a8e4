import Tidemark

/// A method by which a data file's contents are compressed.
///
/// Each piece of data names its method, so a file may have data of both. A build reads every method that it has, and
/// refuses a file with data of another one.
public enum DataCompression: String, Sendable, Hashable, CaseIterable {
    /// zstd, the default where the package is built with it: on Linux, with the trait `SystemLibraries`.
    case zstd
    /// Raw deflate, which every build has. Larger and slower than zstd; choose it on Linux for a file that a phone or a
    /// Mac will open.
    case deflate

    /// The methods that this build has.
    public static let available: Set<DataCompression> = {
        #if TIDEMARK_ZSTD
            [.zstd, .deflate]
        #else
            [.deflate]
        #endif
    }()

    /// The method that this build uses unless another one is chosen: zstd if the build has it.
    public static var standard: DataCompression { available.contains(.zstd) ? .zstd : .deflate }

    /// Returns the error for a file that has or would get data of this method; nil if the build has it.
    ///
    /// - Parameter available: The methods that the build has.
    func refusal(path: String, available: Set<DataCompression> = DataCompression.available) -> StorageError? {
        guard !available.contains(self) else { return nil }
        return StorageError(
            .codecMissing, "\(path) is compressed with \(rawValue), which this build does not have; it was not changed",
            advice: "use a build that has \(rawValue), or pass another file name")
    }
}
