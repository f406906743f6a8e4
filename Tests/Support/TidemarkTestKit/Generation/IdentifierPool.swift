import TidemarkModel
import TidemarkTesting

/// The ids of one stream: half of the draws pick one of a few hot ids, the others one of many cold ones, so that a
/// stream often repeats known entities and keeps adding new ones.
package struct IdentifierPool: Sendable {
    private static let hotCount = 6
    private static let coldCount = 400
    private let salt: UInt64

    /// Creates a pool whose UUIDs depend on the generator.
    package init(random: inout SeededGenerator) { salt = random.next() }

    /// Draws an id as JSON text. The same id may be spelled differently the next time.
    package func id(_ random: inout SeededGenerator) -> String {
        let number = random.chance(500) ? random.below(Self.hotCount) : random.below(Self.coldCount)
        switch number % 3 {
        case 0: return uuid(number, isUpper: random.chance(300))
        case 1: return plain(number, &random)
        default: return random.chance(900) ? String(number * 7_919 - 11) : "\"\(number * 7_919 - 11)\""
        }
    }

    private func uuid(_ number: Int, isUpper: Bool) -> String {
        var mixed = SeededGenerator(seed: salt &+ UInt64(number))
        let text = String(decoding: UUIDValue(high: mixed.next(), low: mixed.next()).text, as: UTF8.self)
        return "\"" + (isUpper ? text.uppercased() : text) + "\""
    }

    private func plain(_ number: Int, _ random: inout SeededGenerator) -> String {
        let spellings = [
            ["\"caf\u{E9}-\(number)\"", "\"caf\\u00e9-\(number)\"", "\"caf\\u00E9-\(number)\""],
            ["\"cafe\u{301}-\(number)\""],
            ["\"a:b/\(number)\"", "\"a:b\\/\(number)\""],
            ["\"q\\\"\\\\\(number)\"", "\"q\\u0022\\u005c\(number)\""],
            ["\"\u{1F600}\(number)\"", "\"\\ud83d\\ude00\(number)\""],
            ["\"line\u{2028}\(number)\"", "\"line\\u2028\(number)\""],
            ["\"%_\(number)\""],
            ["\"tab\\t\\u0001\(number)\"", "\"tab\\u0009\\u0001\(number)\""],
        ]
        return random.pick(spellings[(number / 3) % spellings.count])
    }
}
