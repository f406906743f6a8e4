import TidemarkTesting

/// A JSON value with many spellings: with white space, escapes and repeated members.
indirect enum RandomJSON {
    case word(String)
    case text(String)
    case list([RandomJSON])
    case members([(name: String, value: RandomJSON)])

    /// Words, and numbers for which Foundation's decoder and ours agree. `1e-400` is not among them: as an integer it
    /// is 0 for Foundation's.
    static let words = [
        "null", "true", "false", "0", "-0", "0.0", "-0.0", "1", "-1", "127", "128", "-128", "-129", "255", "256",
        "32767", "-32769", "65535", "65536", "2147483647", "-2147483649", "4294967296", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e2", "1.0", "1.5", "-12.50", "1E+3", "100e-2", "1e-2", "0.1", "123.456e-7", "1e22",
        "1e23", "8.5e17", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1e400",
        "3.4028235e38", "3.5e38", "1e-46", "16777217", "0.30000000000000004", "9007199254740993.5e3", "5e-324",
    ]

    static let texts = [
        "", "a", "red", "blue", "50", "2024-05-06T07:08:09Z", "2024-05-06T07:08:09.250Z", "2024-02-30T00:00:00Z",
        "2024-05-06T07:08:09+02:00", "AQI=", "AQI", "https://a.b/c?d=é", "6f1c9a4e-0000-4000-8000-0123456789ab",
        "6f1c9a4e-0000-4000-8000-0123456789a", "Grüße, \u{1F600}\u{7}\n\"\\/ \u{2028}",
        String(repeating: "long ", count: 40),
    ]

    static func random(_ random: inout SeededGenerator, depth: Int = 0) -> RandomJSON {
        switch random.below(depth > 2 ? 7 : 10) {
        case 0..<4: .word(random.pick(words))
        case 4..<7: .text(random.pick(texts))
        case 7..<8: .list((0..<random.below(4)).map { _ in .random(&random, depth: depth + 1) })
        default:
            .members((0..<random.below(2)).map { ("m\($0)", .random(&random, depth: depth + 1)) })
        }
    }

    /// Returns the value with one place exchanged, removed or made null.
    func spoiled(_ random: inout SeededGenerator) -> RandomJSON {
        switch self {
        case .list(var elements) where !elements.isEmpty && random.chance(800):
            let index = random.below(elements.count)
            if random.chance(150) {
                elements.remove(at: index)
            } else {
                elements[index] = elements[index].spoiled(&random)
            }
            return .list(elements)
        case .members(var members) where !members.isEmpty && random.chance(850):
            let index = random.below(members.count)
            if random.chance(150) {
                members.remove(at: index)
            } else {
                members[index].value = members[index].value.spoiled(&random)
            }
            return .members(members)
        default:
            return random.chance(250) ? .word("null") : .random(&random)
        }
    }

    /// Returns the value with extra members that no type asks for, and its members in another order.
    func shuffled(_ random: inout SeededGenerator) -> RandomJSON {
        switch self {
        case .word, .text: return self
        case .list(let elements): return .list(elements.map { $0.shuffled(&random) })
        case .members(var members):
            for index in members.indices { members[index].value = members[index].value.shuffled(&random) }
            if random.chance(300) { members.shuffle(using: &random) }
            return .members(members)
        }
    }

    func widened(_ random: inout SeededGenerator) -> RandomJSON {
        switch self {
        case .word, .text: return self
        case .list(let elements): return .list(elements.map { $0.widened(&random) })
        case .members(var members):
            for index in members.indices { members[index].value = members[index].value.widened(&random) }
            // A few values have so many members that a table finds them.
            let count = random.chance(50) ? 40 : random.below(3)
            for extra in 0..<count {
                members.insert(("extra \(extra)", .random(&random, depth: 2)), at: random.below(members.count + 1))
            }
            return .members(members)
        }
    }

    /// Returns the value as text.
    ///
    /// - Parameter isRepeating: Whether some members come more than once; the last one counts.
    func spelled(_ random: inout SeededGenerator, isRepeating: Bool) -> String {
        func space() -> String { random.chance(100) ? random.pick([" ", "\n", "\t ", "\r\n"]) : "" }
        switch self {
        case .word(let word): return space() + word + space()
        case .text(let text): return space() + RandomJSON.quoted(text, &random) + space()
        case .list(let elements):
            let parts = elements.map { $0.spelled(&random, isRepeating: isRepeating) }
            return space() + "[" + space() + parts.joined(separator: ",") + "]" + space()
        case .members(let members):
            var parts: [String] = []
            for (index, member) in members.enumerated() {
                if isRepeating, random.chance(200) {
                    let repeated = random.pick(Array(members[index...])).name
                    let value = RandomJSON.random(&random, depth: 2).spelled(&random, isRepeating: true)
                    parts.append("\(RandomJSON.quoted(repeated, &random)):\(value)")
                }
                let value = member.value.spelled(&random, isRepeating: isRepeating)
                parts.append(space() + RandomJSON.quoted(member.name, &random) + space() + ":" + value)
            }
            return space() + "{" + space() + parts.joined(separator: ",") + "}" + space()
        }
    }

    private static func quoted(_ text: String, _ random: inout SeededGenerator) -> String {
        var result = "\""
        for unit in text.unicodeScalars {
            switch unit {
            case "\"", "\\": result += "\\\(unit)"
            case "\n" where random.chance(500): result += "\\n"
            case "/" where random.chance(500): result += "\\/"
            case _ where unit.value < 0x20 || random.chance(20):
                for code in String(unit).utf16 {
                    let digits = String(code, radix: 16, uppercase: random.chance(500))
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(unit)
            }
        }
        return result + "\""
    }
}
