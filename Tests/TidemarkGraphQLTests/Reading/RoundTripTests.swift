import TestTraits
import Testing
import TidemarkGraphQL
import TidemarkModel
import TidemarkTesting

/// A server's answer is read back byte for byte, for random graphs and documents.
@Suite(.pooled) struct RoundTripTests {
    /// Entities as plain dictionaries: scalars, references and lists of them.
    private struct Model {
        var scalars: [Int: [String: String]] = [:]
        var links: [Int: [String: [Int]]] = [:]

        init(_ random: inout SeededGenerator) {
            let count = Int.random(in: 1...8, using: &random)
            for entity in 0..<count {
                for name in ["a", "b", "c"] {
                    scalars[entity, default: [:]][name] =
                        ["1.50", "\"x\\u0041\"", "null", "true", "1e3", "[1,[2]]", "{\"k\":1}"].randomElement(
                            using: &random)
                }
                for name in ["f", "g"] {
                    links[entity, default: [:]][name] = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        Int.random(in: 0..<count, using: &random)
                    }
                }
            }
        }

        func type(_ entity: Int) -> String { entity % 2 == 0 ? "E" : "O" }

        /// The answer of a server that knows nothing of caches.
        func answer(_ selection: Selection, of entity: Int) -> String {
            var members: [String] = []
            func add(_ selection: Selection) {
                for item in selection.items {
                    switch item {
                    case .key:
                        members.append("\"__typename\":\"\(type(entity))\"")
                        members.append("\"id\":\"\(entity)\"")
                    case .scalar(let name, let alias):
                        members.append("\"\(alias)\":\(scalars[entity]?[name] ?? "null")")
                    case .links(let name, let alias, let inner):
                        let own = links[entity]?[name] ?? []
                        members.append(
                            "\"\(alias)\":[" + own.map { answer(inner, of: $0) }.joined(separator: ",") + "]")
                    case .fragment(let condition, let inner):
                        if condition == type(entity) { add(inner) }
                    }
                }
            }
            add(selection)
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private struct Selection {
        indirect enum Item {
            case key
            case scalar(String, alias: String)
            case links(String, alias: String, Selection)
            case fragment(String, Selection)
        }

        var items: [Item] = []

        init(_ random: inout SeededGenerator, depth: Int, aliases: inout Int, hasKey: Bool = true) {
            if hasKey { items.append(.key) }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                aliases += 1
                switch Int.random(in: 0..<(depth > 2 ? 1 : 4), using: &random) {
                case 0, 1:
                    items.append(.scalar(["a", "b", "c"].randomElement(using: &random) ?? "a", alias: "s\(aliases)"))
                case 2:
                    let name = ["f", "g"].randomElement(using: &random) ?? "f"
                    items.append(
                        .links(name, alias: "l\(aliases)", Selection(&random, depth: depth + 1, aliases: &aliases)))
                default:
                    items.append(
                        .fragment(
                            Bool.random(using: &random) ? "E" : "O",
                            Selection(&random, depth: depth + 1, aliases: &aliases, hasKey: false)))
                }
            }
        }

        var text: String {
            items.map { item in
                switch item {
                case .key: "__typename id"
                case .scalar(let name, let alias): "\(alias): \(name)"
                case .links(let name, let alias, let inner): "\(alias): \(name) { \(inner.text) }"
                case .fragment(let type, let inner): "... on \(type) { \(inner.text) }"
                }
            }.joined(separator: " ")
        }
    }

    @Test(arguments: [11, 12, 13, 14] as [UInt64])
    func `a random answer is read back byte for byte`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<150 {
            let model = Model(&random)
            var aliases = 0
            let selection = Selection(&random, depth: 0, aliases: &aliases)
            let document = "{ root { \(selection.text) } }"
            let answer = "{\"root\":\(model.answer(selection, of: 0))}"
            var world = try GraphQLWorld()
            try world.write(document, answer)
            #expect(try world.data(document) == answer, "seed \(seed), round \(round): \(document)")
        }
    }
}
