/// What the number at offset 60 of a data file (`user_version`) tells: the file's format, and how its data may be
/// compressed.
///
/// The number is that of the format; 48 more once raw deflate was used, and 240 more if zstd never was. Programs that
/// do not know deflate refuse the file as one of a newer format. A flipped bit never adds or removes a codec: at least
/// two bits differ between numbers with different ones.
///
/// - Source: docs/data-file.md.
struct FileFormat: Hashable {
    private static let deflateMark: Int32 = 0x30
    private static let deflateAloneMark: Int32 = 0xF0

    /// The number of the format, from 1 to ``DataFile/formatVersion``.
    let number: Int32
    /// How data of the file may be compressed.
    let compressions: Set<DataCompression>

    init(number: Int32, compressions: Set<DataCompression>) {
        self.number = number
        self.compressions = compressions
    }

    /// - Parameter version: The number at offset 60.
    /// - Returns: nil when no file has this number.
    init?(version: Int32) {
        switch version {
        case 1...DataFile.formatVersion: self.init(number: version, compressions: [.zstd])
        case FileFormat.marked(FileFormat.deflateMark):
            self.init(number: version - FileFormat.deflateMark, compressions: [.zstd, .deflate])
        case FileFormat.marked(FileFormat.deflateAloneMark):
            self.init(number: version - FileFormat.deflateAloneMark, compressions: [.deflate])
        default: return nil
        }
    }

    /// Older files are upgraded before anything is compressed.
    private static func marked(_ mark: Int32) -> ClosedRange<Int32> {
        DataFile.rowFormatVersion + mark...DataFile.formatVersion + mark
    }

    /// The number at offset 60.
    var version: Int32 {
        guard compressions.contains(.deflate) else { return number }
        return number + (compressions.contains(.zstd) ? FileFormat.deflateMark : FileFormat.deflateAloneMark)
    }
}
