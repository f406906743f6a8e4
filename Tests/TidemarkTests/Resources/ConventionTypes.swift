import Foundation
import Tidemark
import TidemarkTesting

/// A resource with names of several words and dates at every depth, under each of the conventions.
struct Frame<Server: ServerConventions>: Resource, Equatable {
    static var resourceType: String { "shot" }
    static var conventions: ResourceConventions { Server.conventions }

    struct Lens: Codable, Equatable {
        var makerName: String
        var focalLengths: [Int]
        var firstUsedAt: Date?
    }

    enum ShootingMode: Codable, Equatable {
        case selfTimer(secondCount: Int, startedAt: Date)
        case singleFrame
    }

    var id: String
    var takenAt: Date
    var seenAt: Date?
    var isoSpeedX2: Int
    var usedLens: Lens?
    /// The names are data, so capitals and underscores stay.
    var exifTags: [String: String]
    var lensesByName: [String: Lens]
    var allDates: [Date]
    var datesByName: [String: Date]
    var shootingMode: ShootingMode
    var longNote: String?

    init(_ random: inout SeededGenerator) {
        func date(_ random: inout SeededGenerator) -> Date {
            // The moments are in milliseconds, some of them before 1970.
            Date(timeIntervalSince1970: Double(random.below(4_000_000_000_000) - 1_000_000_000_000) / 1_000)
        }
        func lens(_ random: inout SeededGenerator) -> Lens {
            Lens(
                makerName: random.pick(["a/b", "Zeiß", "x_y", ""]),
                focalLengths: (0..<random.below(3)).map { _ in random.below(400) },
                firstUsedAt: random.chance(500) ? date(&random) : nil)
        }
        let names = ["snake_key", "camelKey", "plain", "_x", "X_Y_", "", "a b"]
        id = "\(random.below(100))"
        takenAt = date(&random)
        seenAt = random.chance(500) ? date(&random) : nil
        isoSpeedX2 = random.below(6_400)
        usedLens = random.chance(700) ? lens(&random) : nil
        exifTags = [:]
        lensesByName = [:]
        datesByName = [:]
        for _ in 0..<random.below(4) {
            exifTags[random.pick(names)] = random.pick(["", "someValue", "some_value"])
            lensesByName[random.pick(names)] = lens(&random)
            datesByName[random.pick(names)] = date(&random)
        }
        allDates = (0..<random.below(3)).map { _ in date(&random) }
        shootingMode =
            random.chance(500) ? .singleFrame : .selfTimer(secondCount: random.below(10), startedAt: date(&random))
        longNote = random.chance(500) ? "someNote" : nil
    }
}

/// The conventions of a server, with the strategies of Foundation's coders that are the same.
protocol ServerConventions: Sendable {
    static var conventions: ResourceConventions { get }
    static func set(_ encoder: JSONEncoder, _ decoder: JSONDecoder)
}

enum SnakeSeconds: ServerConventions {
    static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)

    static func set(_ encoder: JSONEncoder, _ decoder: JSONDecoder) {
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
    }
}

enum PlainMilliseconds: ServerConventions {
    static let conventions = ResourceConventions(dates: .millisecondsSince1970)

    static func set(_ encoder: JSONEncoder, _ decoder: JSONDecoder) {
        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
    }
}

/// Dates as days since 2001 in words, and names in snake case.
enum SnakeCustom: ServerConventions {
    static let conventions = ResourceConventions(
        names: .snakeCase, dates: .custom(decode: decode, encode: encode))

    static func set(_ encoder: JSONEncoder, _ decoder: JSONDecoder) {
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.dateEncodingStrategy = .custom(encode)
        decoder.dateDecodingStrategy = .custom(decode)
    }

    @Sendable private static func decode(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.hasSuffix(" days"), let days = Double(text.dropLast(5)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "days are wanted")
        }
        return Date(timeIntervalSinceReferenceDate: days * 86_400)
    }

    @Sendable private static func encode(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(date.timeIntervalSinceReferenceDate / 86_400) days")
    }
}
