import TidemarkTesting

/// Rules and resources of few names and few values, in many spellings, so that they often match.
struct MembershipGenerator {
    private static let names = ["a", "b", #"\u0061"#, "é", #"\u00e9"#, "x/y", "m~n", "", #"q\"\\"#]
    private static let pointers = [
        "/a", "/b", "/é", "/x~1y", "/m~0n", "/", #"/q\"\\"#, "/a/a", "/a/0", "/b/1", "/b/01", "/a/-", "", "/c/b/a",
    ]
    private static let numbers = [
        "0", "-0", "0.0", "0e7", "1", "1.0", "10e-1", "0.1e1", "-1", "-1.0", "2", "10", "1e1", "100", "-100", "0.1",
        "0.01", "0.011", "-0.011", "1.10", "1.1", "11e-1", "18446744073709551615", "18446744073709551616",
        "1.8446744073709551616e19", "9007199254740993", "9007199254740992", "-9007199254740993", "1e300", "1E+300",
        "1e-300", "-1e300", "1e101", "1e100", "1e99", "1e-99", "1e-102", "12345678901234567890123456789.5",
    ]
    private static let strings = [
        #""""#, #""a""#, #""\u0061""#, #""ab""#, #""a\u0000""#, #""a\u0000b""#, #""a\u0001""#, #""é""#, #""\u00e9""#,
        #""e\u0301""#, #""\ud83d\ude00""#, #""😀""#, #""\ud83d""#, #""￿""#, #""\n""#, #""\\n""#, #""\/""#, #""/""#,
        #""A""#, #""1""#, #""true""#,
    ]
    private static let components = ["Photos", "Photos2", "a", "b", ".", "..", "", #"c\\d"#, "C:", #"\u0061"#]
    private static let devices = ["my-mac", "nas", ""]
    private static let operators = [
        "eq", "ne", "lt", "lte", "gt", "gte", "lt", "gte", "in", "exists", "prefix",
    ]

    func resource(_ random: inout SeededGenerator) -> String {
        var members = (0..<random.below(7)).map { _ in member(&random, depth: 0) }
        if random.chance(600) { members.append(#""sd_path":\#(path(&random))"#) }
        if random.chance(300) {
            let paths = (0..<random.below(3)).map { _ in path(&random) }
            members.append(#""alternate_paths":[\#(paths.joined(separator: ","))]"#)
        }
        if random.chance(50) { members.append(#""alternate_paths":\#(path(&random))"#) }
        if random.chance(100) { members.append(#""place":\#(path(&random))"#) }
        return "{\(members.joined(separator: ","))}"
    }

    func rule(_ random: inout SeededGenerator) -> String {
        var members = [#""resource_type":"file""#]
        if random.chance(850) { members.append(#""where":\#(predicate(&random, depth: 0))"#) }
        if random.chance(500) {
            let components = (0..<random.below(4)).map { _ in order(&random) }
            members.append(#""order":[\#(components.joined(separator: ","))]"#)
        }
        if random.chance(300) { members.append(#""scope":\#(scope(&random))"#) }
        if random.chance(200) { members.append(#""limit":\#(1 + random.below(5))"#) }
        return "{\(members.joined(separator: ","))}"
    }

    private func member(_ random: inout SeededGenerator, depth: Int) -> String {
        #""\#(random.pick(Self.names))":\#(value(&random, depth: depth))"#
    }

    private func value(_ random: inout SeededGenerator, depth: Int) -> String {
        switch random.weighted([1, 2, 4, 4, depth < 2 ? 2 : 0, depth < 2 ? 2 : 0]) {
        case 0: return "null"
        case 1: return random.pick(["false", "true"])
        case 2: return random.pick(Self.numbers)
        case 3: return random.pick(Self.strings)
        case 4:
            let elements = (0..<random.below(3)).map { _ in value(&random, depth: depth + 1) }
            return "[\(elements.joined(separator: ","))]"
        default:
            let members = (0..<random.below(4)).map { _ in member(&random, depth: depth + 1) }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private func predicate(_ random: inout SeededGenerator, depth: Int) -> String {
        switch random.weighted([6, depth < 3 ? 2 : 0, depth < 3 ? 1 : 0, depth < 3 ? 1 : 0]) {
        case 0:
            let tests = (0...random.weighted([4, 2])).map { _ in test(&random) }
            return #"{"path":"\#(random.pick(Self.pointers))",\#(tests.joined(separator: ","))}"#
        case 3:
            return #"{"not":\#(predicate(&random, depth: depth + 1))}"#
        case let choice:
            let members = (0..<random.below(4)).map { _ in predicate(&random, depth: depth + 1) }
            return #"{"\#(choice == 1 ? "all" : "any")":[\#(members.joined(separator: ","))]}"#
        }
    }

    private func test(_ random: inout SeededGenerator) -> String {
        let name = random.pick(Self.operators)
        switch name {
        case "in":
            let values = (0..<random.below(random.chance(100) ? 30 : 4)).map { _ in value(&random, depth: 1) }
            return #""in":[\#(values.joined(separator: ","))]"#
        case "exists": return #""exists":\#(random.pick(["true", "false"]))"#
        case "prefix": return #""prefix":\#(random.pick(Self.strings))"#
        default: return #""\#(name)":\#(value(&random, depth: 1))"#
        }
    }

    private func order(_ random: inout SeededGenerator) -> String {
        let direction = random.pick([
            "", #","direction":"asc""#, #","direction":"desc""#, #","direction":"descending""#,
        ])
        return #"{"path":"\#(random.pick(Self.pointers))"\#(direction)}"#
    }

    private func scope(_ random: inout SeededGenerator) -> String {
        var members = [#""path":\#(truePath(&random))"#]
        if random.chance(500) { members.append(#""recursive":\#(random.pick(["true", "false"]))"#) }
        if random.chance(200) { members.append(#""pointer":"/place""#) }
        return "{\(members.joined(separator: ","))}"
    }

    /// Returns a path, or sometimes a value that is not a path.
    private func path(_ random: inout SeededGenerator) -> String {
        switch random.below(12) {
        case 0: #"{"Content":{"content_id":"c"}}"#
        case 1: random.pick(["null", "7", "{}", #"{"Physical":{"device_slug":"nas"}}"#, #"{"Physical":"/a"}"#])
        default: truePath(&random)
        }
    }

    private func truePath(_ random: inout SeededGenerator) -> String {
        let start = random.pick(["/", "/", "/", "", #"C:\\"#, "C:/", #"\\\\"#])
        let separator = random.pick(["/", "/", "/", #"\\"#])
        let components = (0..<random.below(5)).map { _ in random.pick(Self.components) }
        let path = start + components.joined(separator: separator) + random.pick(["", "", "/"])
        let device = random.pick(Self.devices)
        switch random.below(5) {
        case 0, 1: return #""\#(path)""#
        case 2: return #"{"Cloud":{"service":"S3","identifier":"\#(device)","path":"\#(path)"}}"#
        default: return #"{"Physical":{"device_slug":"\#(device)","path":"\#(path)"}}"#
        }
    }
}
