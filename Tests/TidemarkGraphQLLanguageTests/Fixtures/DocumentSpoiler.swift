import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

/// Changes to a document that may make it wrong: tokens in other places, other names, bytes that are gone.
enum DocumentSpoiler {
    /// Words that mean something in a document or in the schema of the tests.
    private static let words = [
        "id", "name", "title", "hero", "Song", "Artist", "Thing", "Query", "Int", "String", "SongInput", "on",
        "fragment",
        "query", "null", "true", "ROCK", "1", "1.5", "\"a\"", "{", "}", "(", ")", "[", "]", ":", "$", "!", "...", "@",
        "=",
        "include", "skip", "tag", "if", "F0", "F1", "vInt00", "by",
    ].map { Array($0.utf8) }

    /// Exchanges, removes, doubles or replaces tokens.
    ///
    /// - Parameter bytes: A document that parses.
    static func tokens(_ bytes: [UInt8], _ generator: inout SeededGenerator) throws -> [UInt8] {
        var lexer = Lexer(bytes, limits: DocumentLimits())
        var tokens: [[UInt8]] = []
        while case let token = try lexer.next(), token.kind != .end { tokens.append(Array(bytes[token.range])) }
        for _ in 0...generator.below(2) where !tokens.isEmpty {
            let index = generator.below(tokens.count)
            switch generator.below(6) {
            case 0: tokens.swapAt(index, generator.below(tokens.count))
            case 1: tokens.remove(at: index)
            case 2: tokens.insert(tokens[generator.below(tokens.count)], at: index)
            case 3: tokens[index] = tokens[generator.below(tokens.count)]
            default: tokens[index] = generator.pick(words)
            }
        }
        return Array(tokens.joined(separator: [0x20]))
    }

    /// Flips bits, cuts and moves pieces.
    static func bytes(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...generator.below(3) { bytes.spoil(&generator) }
        return bytes
    }
}
