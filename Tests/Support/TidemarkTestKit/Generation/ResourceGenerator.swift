import TidemarkTesting

/// Generates resources with everything that they may contain: exact numbers, tagged enums, nested objects, repeated
/// keys.
package struct ResourceGenerator: Sendable {
    private let ids: IdentifierPool
    private let writer: SpacedWriter

    /// Creates a generator.
    package init(ids: IdentifierPool, writer: SpacedWriter) {
        self.ids = ids
        self.writer = writer
    }

    /// Returns a usable resource as JSON text.
    package func resource(_ random: inout SeededGenerator) -> String {
        var members = fields(&random, depth: 0)
        let identity: (String, String)
        switch random.below(12) {
        case 0: identity = ("uuid", ids.id(&random))
        case 1:
            members.append(("id", "null"))
            identity = ("uuid", ids.id(&random))
        default: identity = ("id", ids.id(&random))
        }
        members.insert(identity, at: random.below(members.count + 1))
        return writer.object(members, &random)
    }

    /// Returns the `metadata` of a merge as JSON text.
    package func metadata(_ random: inout SeededGenerator) -> String {
        var members: [(String, String)] = []
        if random.chance(500) {
            let names = (0..<random.below(3)).map { _ in SpacedWriter.string(random.pick(Self.names)) }
            members.append(("no_merge_fields", writer.array(names, &random)))
        }
        if random.chance(300) {
            let others = (0..<random.below(3)).map { _ in ids.id(&random) }
            members.append(("alternate_ids", random.chance(200) ? "null" : writer.array(others, &random)))
        }
        if random.chance(200) { members.append(("affected_paths", "[{\"Physical\":{\"path\":\"/a\"}}]")) }
        return writer.object(members, &random)
    }

    /// Returns an id as JSON text.
    package func id(_ random: inout SeededGenerator) -> String { ids.id(&random) }

    private static let names = ["name", "size", "path", "state", "tags", "extra", "note", "\u{E9}t\u{E9}"]

    private func fields(_ random: inout SeededGenerator, depth: Int) -> [(String, String)] {
        let count = random.below(depth == 0 ? 6 : 3)
        return (0..<count).map { _ in (random.pick(Self.names), value(&random, depth: depth)) }
    }

    private func value(_ random: inout SeededGenerator, depth: Int) -> String {
        let isDeep = depth >= 3
        switch random.below(isDeep ? 4 : 8) {
        case 0: return random.pick(["0", "-0", "1.10", "1e5", "1E+05", "18446744073709551615", "0.1e-7", "-12"])
        case 1: return random.pick(["null", "true", "false", "\"\"", "[]", "{}"])
        case 2: return random.pick(["\"x\"", "\"\\ud800\"", "\"\\u00e9\"", "\"\u{E9}\u{85}\u{2028}\"", "\"a\\/b\""])
        case 3: return "\"v\(random.below(50))\""
        case 4:
            let elements = (0..<random.below(3)).map { _ in value(&random, depth: depth + 1) }
            return writer.array(elements, &random)
        case 5, 6:
            let tag = random.pick(["Physical", "Cloud", "Content", "lower", "Scanning"])
            return writer.object([(tag, value(&random, depth: depth + 1))], &random)
        default: return writer.object(fields(&random, depth: depth + 1), &random)
        }
    }
}
