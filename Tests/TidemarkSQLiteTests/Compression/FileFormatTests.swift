import TestTraits
import Testing
import Tidemark

@testable import TidemarkSQLite

@Suite(.pooled) struct FileFormatTests {
    private let versions = (Int32(0)...70_000).filter { FileFormat(version: $0) != nil }

    @Test func `a number at offset 60 tells the format and the codecs, and no other number means the same`() throws {
        for version in versions { #expect(FileFormat(version: version)?.version == version) }
        #expect(Set(versions.compactMap { FileFormat(version: $0) }).count == versions.count)
        #expect(versions == Array(1...11) + Array(55...59) + Array(247...251))
    }

    @Test func `a flipped bit never adds or removes a codec`() {
        for version in versions {
            for bit in 0..<32 {
                let flipped = FileFormat(version: version ^ (1 << bit))
                #expect(flipped == nil || flipped?.compressions == FileFormat(version: version)?.compressions)
            }
        }
    }

    @Test func `a build without a codec refuses the file with a sentence that names it`() throws {
        for version in versions {
            let format = try #require(FileFormat(version: version))
            #expect(FileHeader(version: version, available: [.zstd, .deflate]) == .ours(version: format.number))
            for available in [DataCompression.zstd, .deflate] {
                let header = FileHeader(version: version, available: [available])
                guard let missing = format.compressions.subtracting([available]).first else {
                    #expect(header == .ours(version: format.number))
                    continue
                }
                let refusal = try #require(header.refusal(path: "a.db"))
                #expect(refusal.code == .codecMissing)
                #expect(
                    refusal.message
                        == "a.db is compressed with \(missing.rawValue), which this build does not have; it was not changed"
                )
            }
        }
    }
}
