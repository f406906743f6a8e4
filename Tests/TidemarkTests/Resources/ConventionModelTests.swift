import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkTesting

/// Conventions of servers against Foundation's coders with the same strategies, which are the model.
@Suite(.pooled, .tags(.model)) struct ConventionModelTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `resources are read and written as Foundation's coders do with the same strategies`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            try compare(SnakeSeconds.self, &random)
            try compare(PlainMilliseconds.self, &random)
            try compare(SnakeCustom.self, &random)
        }
    }

    private func compare<Server: ServerConventions>(
        _ server: Server.Type, _ random: inout SeededGenerator
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let decoder = JSONDecoder()
        Server.set(encoder, decoder)
        let shot = Frame<Server>(&random)
        let bytes = try ResourceCoder().encode(shot)
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try encoder.encode(shot), as: UTF8.self))
        let model = Outcome { try decoder.decode(Frame<Server>.self, from: Data(bytes)) }
        #expect(Outcome { try ResourceCoder().value(Frame<Server>.self, bytes, Server.conventions) } == model)

        // At most one place is spoiled, as in `DecoderModelTests`.
        var json = RandomJSON(try JSONValue(parsing: bytes))
        if random.chance(700) { json = json.spoiled(&random) }
        json = json.shuffled(&random)
        let plain = json.spelled(&random, isRepeating: false)
        let text = json.spelled(&random, isRepeating: true)
        let spoiled = Outcome { try decoder.decode(Frame<Server>.self, from: Data(plain.utf8)) }
        let outcome = Outcome {
            try ResourceCoder().value(Frame<Server>.self, Array(text.utf8), Server.conventions)
        }
        // Foundation's paths have the names of coding keys, Tidemark's have those of the text.
        #expect(outcome.renamed(naiveSnakeCase) == spoiled.renamed(naiveSnakeCase), "from \(text), as \(plain)")
    }

    /// Converts a name to snake case; right for names without several capitals in a row.
    private func naiveSnakeCase(_ name: String) -> String {
        name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    }

    private struct Name: CodingKeyRepresentable, Hashable, Encodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var text: String
        var codingKey: any CodingKey { Key(stringValue: text) }

        init(_ text: String) { self.text = text }
        init?<Key: CodingKey>(codingKey: Key) { text = codingKey.stringValue }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func `names equal those of Foundation's encoder`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "b", "z", "A", "B", "Z", "URL", "id", "1", "_", "é", "É", "Ǆ", "ß", "中"]
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        for _ in 0..<1_000 {
            let ascii = random.chance(700)
            let name = (0..<1 + random.below(8)).map { _ in random.pick(ascii ? Array(parts.prefix(10)) : parts) }
                .joined()
            let object = try JSONValue(parsing: Array(try encoder.encode([Name(name): 1])))
            #expect(object.members?.map(\.name) == [SnakeCase.name(name)], "\(name)")
            // A name in snake case does not change, so converting a name twice gives the same name.
            #expect(SnakeCase.name(SnakeCase.name(name)) == SnakeCase.name(name))
        }
    }
}

extension RandomJSON {
    /// Converts a value.
    init(_ value: JSONValue) {
        switch value {
        case .null, .bool, .number: self = .word(value.text)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map(RandomJSON.init))
        case .object(let members): self = .members(members.map { ($0.name, RandomJSON($0.value)) })
        }
    }
}

extension Outcome {
    func renamed(_ name: (String) -> String) -> Outcome {
        switch self {
        case .value, .other: self
        case .mismatch(let type, let path): .mismatch(type, path: path.map(name))
        case .null(let type, let path): .null(type, path: path.map(name))
        case .missing(let key, let path): .missing(name(key), path: path.map(name))
        case .corrupted(let reason, let path): .corrupted(reason, path: path.map(name))
        }
    }
}
