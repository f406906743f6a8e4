import Foundation
import TidemarkTesting

/// A file as an app that lists files would declare it. Its JSON has about 440 bytes.
struct DecodedFile: Decodable {
    struct Content: Decodable {
        var uuid: UUID
        var kind: Kind
        var integrityHash: String
        var entryCount: Int

        enum CodingKeys: String, CodingKey {
            case uuid, kind
            case integrityHash = "integrity_hash"
            case entryCount = "entry_count"
        }
    }

    enum Kind: String, Decodable {
        case image, video, document
    }

    var id: UUID
    var name: String
    var path: String
    var suffix: String
    var size: Int64
    var kind: Kind
    var tags: [String]
    var isFavorite: Bool
    var createdAt: Date
    var modifiedAt: Date
    var rating: Double?
    var content: Content?

    enum CodingKeys: String, CodingKey {
        case id, name, path, size, kind, tags, rating
        case suffix = "extension"
        case isFavorite = "favorite"
        case createdAt = "created_at"
        case modifiedAt = "modified_at"
        case content = "content_identity"
    }

    /// Returns the JSON of `count` files. The contents are random, with a fixed seed.
    static func resources(count: Int) -> [[UInt8]] {
        var random = SeededGenerator(seed: 20_260_107)
        return (0..<count).map { index in
            let kind = random.pick(["image", "video", "document"])
            let tags = (0..<random.below(4)).map { _ in random.pick(["\"red\"", "\"work\"", "\"2025\""]) }
            let folder = random.pick(["forest/garden", "harbor/ocean", "summer/winter"])
            let id = uuid(&random)
            let seconds = 10 + random.below(50)
            let text = """
                {"id":"\(id)","name":"file_\(index)","path":"/Users/ada/Pictures/\(folder)/file_\(index)",\
                "size":\(random.below(5_000_000_000)),"tags":[\(tags.joined(separator: ","))],\
                "modified_at":"2025-03-04T12:13:\(seconds).\(100 + random.below(900))Z","extension":"jpg",\
                "kind":"\(kind)","favorite":\(random.below(20) == 0),"created_at":"2024-10-19T05:11:\(seconds)Z",\
                "content_identity":{"uuid":"\(uuid(&random))","kind":"\(kind)",\
                "integrity_hash":"\(String(random.next() | 1 << 63, radix: 16))","entry_count":1}}
                """
            return Array(text.utf8)
        }
    }

    private static func uuid(_ random: inout SeededGenerator) -> String {
        let digits = String(random.next() | 1 << 63, radix: 16) + String(random.next() | 1 << 63, radix: 16)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits.dropFirst($0.lowerBound).prefix($0.count) }
        return parts.joined(separator: "-")
    }

    /// A hash over most of the fields, with at least one of each frequent type.
    var hash: UInt64 {
        let texts = name.utf8.count + path.utf8.count + suffix.utf8.count + tags.count
        let times = createdAt.timeIntervalSinceReferenceDate + modifiedAt.timeIntervalSinceReferenceDate
        let rest =
            UInt64(content?.integrityHash.utf8.count ?? 0) + UInt64(id.uuid.0) + UInt64(content?.uuid.uuid.15 ?? 0)
            + (isFavorite ? 1 : 0)
        return UInt64(texts) &+ UInt64(size) &+ times.bitPattern &+ rest
    }
}
