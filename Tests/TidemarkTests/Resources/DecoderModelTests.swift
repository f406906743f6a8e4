import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkTesting

/// The decoder against Foundation's, which is the model: over random texts both return the same value or the same
/// error.
@Suite(.pooled, .tags(.model)) struct DecoderModelTests {
    @Test(arguments: 0..<40 as Range<UInt64>) func `the decoder agrees with Foundation's decoder`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            try compare(DecodedTypes.Integers.self, integers, &random)
            try compare(DecodedTypes.Photo.self, photo, &random)
            try compare(DecodedTypes.Foreign.self, foreign, &random)
            try compare(DecodedTypes.Maps.self, maps, &random)
            try compare(DecodedTypes.Shapes.self, shapes, &random)
            try compare(DecodedTypes.Dog.self, dog, &random)
            try compare(DecodedTypes.Walker.self, walker, &random)
            try compare(DecodedTypes.Wrappers.self, wrappers, &random)
            try compare([Double].self, { random in some(&random) { .word(number(&$0)) } }, &random)
            try compare(Float.self, { .word(number(&$0)) }, &random)
            try compare(Int?.self, { .word($0.pick(RandomJSON.words)) }, &random)
            try compare(String.self, { .text($0.pick(RandomJSON.texts)) }, &random)
            try compare([Bool?].self, { .random(&$0) }, &random)
        }
    }

    /// Compares with Foundation. One place is spoiled at most: Foundation's decoder reads dictionaries in an order of
    /// its own, so the fault that it reports of two is not fixed.
    private func compare<Value: Decodable & Equatable>(
        _ type: Value.Type, _ make: (inout SeededGenerator) -> RandomJSON, _ random: inout SeededGenerator
    ) throws {
        var json = make(&random)
        if random.chance(600) { json = json.spoiled(&random) }
        json = json.shuffled(&random)
        if type != DecodedTypes.Maps.self && type != DecodedTypes.Walker.self && type != DecodedTypes.Shapes.self {
            json = json.widened(&random)
        }
        let plain = json.spelled(&random, isRepeating: false)
        let text = json.spelled(&random, isRepeating: true)
        let model = Outcome { try foundation.decode(type, from: Data(plain.utf8)) }
        let outcome = Outcome { try ResourceCoder().value(type, Array(text.utf8)) }
        #expect(outcome == model, "\(type) from \(text), as \(plain)")
    }

    private let foundation: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            for style in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
                if let date = try? style.parse(text) { return date }
            }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an ISO 8601 date is expected")
        }
        return decoder
    }()

    // MARK: Valid texts

    private func number(_ random: inout SeededGenerator) -> String {
        if random.chance(300) { return random.pick(RandomJSON.words + ["1e-400", "-1e-400"]) }
        var text = random.chance(300) ? "-" : ""
        text += "\(1 + random.below(9))"
        for _ in 0..<random.below(22) { text += "\(random.below(10))" }
        if random.chance(600) {
            text += "."
            for _ in 0...random.below(20) { text += "\(random.below(10))" }
        }
        if random.chance(300) { text += "e\(random.below(80) - 40)" }
        return text
    }

    private func small(_ random: inout SeededGenerator) -> RandomJSON {
        .word(random.pick(["0", "1", "-0", "100", "1e2", "7.0", "12", "127"]))
    }

    private func text(_ random: inout SeededGenerator) -> RandomJSON { .text(random.pick(RandomJSON.texts)) }

    private func flag(_ random: inout SeededGenerator) -> RandomJSON { .word(random.pick(["true", "false"])) }

    private func date(_ random: inout SeededGenerator) -> RandomJSON {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        var text = "\(1890 + random.below(300))-\(two(1 + random.below(12)))-\(two(1 + random.below(28)))T"
        text += "\(two(random.below(24))):\(two(random.below(60))):\(two(random.below(60)))"
        if random.chance(500) {
            text += "."
            for _ in 0...random.below(9) { text += "\(random.below(10))" }
        }
        return .text(text + random.pick(["Z", "Z", "Z", "Z", "+01:00", "-0330"]))
    }

    private func some(
        _ random: inout SeededGenerator, _ make: (inout SeededGenerator) -> RandomJSON
    ) -> RandomJSON {
        .list((0..<random.below(4)).map { _ in make(&random) })
    }

    private func integers(_ random: inout SeededGenerator) -> RandomJSON {
        .members("abcdefghij".map { (String($0), small(&random)) })
    }

    private func photo(_ random: inout SeededGenerator) -> RandomJSON {
        .members([
            ("id", text(&random)), ("size", .word("18446744073709551615")), ("tags", some(&random, text)),
            ("ratio", .word(random.pick(["1", "0.5", "-1e-3"]))), ("isKept", flag(&random)),
            (
                "camera",
                .members([
                    ("maker", text(&random)),
                    (
                        "lenses",
                        some(&random) {
                            .members([("millimetres", small(&$0)), ("aperture", .word($0.pick(["1.4", "null"])))])
                        }
                    ),
                ])
            ),
            ("marks", some(&random) { some(&$0) { .word($0.pick(["1.25", "null"])) } }),
            ("weight", .word("70.5")), ("flag", flag(&random)), ("note", text(&random)),
        ])
    }

    private func foreign(_ random: inout SeededGenerator) -> RandomJSON {
        let id = RandomJSON.text(
            random.pick(["6F1C9A4E-0000-4000-8000-0123456789AB", "6f1c9a4e-ffff-4000-8000-0123456789ab"]))
        return .members([
            ("id", id), ("taken", date(&random)), ("seen", random.chance(500) ? .word("null") : date(&random)),
            ("link", .text(random.pick(["https://a.b/c", "file:///x y", "../é"]))),
            ("bytes", .text(random.pick(["", "AQI=", "////"]))),
            ("price", .word(random.pick(["1.10", "12345678901234567890.12345", "-0.5e-3", "1e30"]))),
            ("prices", some(&random) { .word($0.pick(["0.1", "null"])) }), ("dates", some(&random, date)),
        ])
    }

    private func maps(_ random: inout SeededGenerator) -> RandomJSON {
        .members([
            ("counts", .members((0..<random.below(60)).map { ("k\($0)", small(&random)) })),
            ("names", .members((0..<random.below(5)).map { ("\($0 - 2)", text(&random)) })),
            ("colors", .members([("red", .members([("x/y", flag(&random)), ("\"", flag(&random))]))])),
            ("set", some(&random, text)), ("range", .list([.word("1"), .word("2")])),
        ])
    }

    private func shapes(_ random: inout SeededGenerator) -> RandomJSON {
        func shape(_ random: inout SeededGenerator) -> RandomJSON {
            random.pick([
                .members([("circle", .members([("radius", .word("1.5"))]))]),
                .members([("label", .members([("_0", .text("a")), ("size", .word("null"))]))]),
                .members([("none", .members([]))]),
            ])
        }
        return .members([
            ("shapes", some(&random, shape)), ("color", .text("red")),
            ("colors", some(&random) { $0.pick([.text("blue"), .word("null")]) }),
        ])
    }

    private func dog(_ random: inout SeededGenerator) -> RandomJSON {
        func animal(_ random: inout SeededGenerator) -> RandomJSON { .members([("name", text(&random))]) }
        var members = [
            ("age", small(&random)), ("parents", some(&random, animal)), ("super", animal(&random)),
        ]
        if random.chance(500) { members.append(("parent", animal(&random))) }
        return .members(members)
    }

    private func walker(_ random: inout SeededGenerator) -> RandomJSON {
        func part(_ random: inout SeededGenerator) -> RandomJSON {
            switch random.below(5) {
            case 0: .word("null")
            case 1: text(&random)
            case 2: some(&random, small)
            case 3: inner(&random)
            default: small(&random)
            }
        }
        func inner(_ random: inout SeededGenerator) -> RandomJSON {
            .members((0..<random.below(4)).map { (String(repeating: "x", count: $0), small(&random)) })
        }
        return .members([("parts", some(&random, part)), ("inner", inner(&random))])
    }

    private func wrappers(_ random: inout SeededGenerator) -> RandomJSON {
        .members([
            ("raw", small(&random)), ("date", date(&random)), ("url", .text("https://a.b")),
            ("list", some(&random, text)), ("either", small(&random)),
            ("numbers", some(&random) { .word($0.pick(["1.1", "16777217", "3.4028235e38", "0.000001"])) }),
        ])
    }
}
