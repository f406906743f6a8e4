import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

/// Damaged documents: the parser always ends, with a document or with an error whose place is in the text.
@Suite(.pooled) struct MutationTests {
    @Test func `flipped bits, cuts and pieces in other places never crash the parser`() {
        var accepted = 0
        for seed in UInt64(0)..<3_000 {
            var generator = SeededGenerator(seed: seed, index: 2)
            var bytes = MutationTests.bytes(seed: seed % 200)
            for _ in 0...generator.below(4) { bytes.spoil(&generator) }
            accepted += MutationTests.reads(bytes, "seed \(seed)") ? 1 : 0
        }
        // Otherwise the walk would test only one of the two outcomes.
        #expect(accepted > 50 && accepted < 2_900, "\(accepted) of 3,000 were accepted")
    }

    @Test func `shuffled tokens never crash the parser`() throws {
        for seed in UInt64(0)..<1_000 {
            var generator = SeededGenerator(seed: seed, index: 3)
            let bytes = MutationTests.bytes(seed: seed % 200)
            var lexer = Lexer(bytes, limits: DocumentLimits())
            var words: [ArraySlice<UInt8>] = []
            while case let token = try lexer.next(), token.kind != .end { words.append(bytes[token.range]) }
            for _ in 0...generator.below(6) {
                words.swapAt(generator.below(words.count), generator.below(words.count))
            }
            _ = MutationTests.reads(Array(words.joined(separator: [0x20])), "seed \(seed)")
        }
    }

    @Test func `every prefix of a document is read or refused`() {
        for seed in UInt64(0)..<10 {
            let bytes = MutationTests.bytes(seed: seed)
            for count in 0...bytes.count {
                _ = MutationTests.reads(Array(bytes.prefix(count)), "seed \(seed), \(count) bytes")
            }
        }
    }

    @Test func `random bytes never crash the parser`() {
        let words = [
            "type", "extend", "{", "}", "(", ")", "[", "]", ":", "!", "=", "|", "&", "@", "$", "...", "\"", "\"\"\"",
            "\\",
            "\\u", "\n", "\r", "#", "-", "0", "1.", "e", "a", "\u{FEFF}", "é", "\u{0}", "union", "directive", "on",
        ].map { Array($0.utf8) }
        for seed in UInt64(0)..<3_000 {
            var generator = SeededGenerator(seed: seed, index: 4)
            var bytes: [UInt8] = []
            for _ in 0..<generator.below(60) {
                bytes += generator.chance(50) ? [UInt8(generator.below(256))] : generator.pick(words)
            }
            _ = MutationTests.reads(bytes, "seed \(seed)")
        }
    }

    @Test func `broken policies are read or refused`() {
        var accepted = 0
        for seed in UInt64(0)..<3_000 {
            var generator = SeededGenerator(seed: seed, index: 5)
            var bytes =
                seed % 3 == 0
                ? MutationTests.bytes(seed: seed) : Array(NaivePolicy(seed: seed).text(seed: seed).utf8)
            for _ in 0..<generator.below(4) { MutationTests.swapWords(in: &bytes, &generator) }
            do throws(GraphQLErrors) {
                let policy = try CachePolicy.read(bytes)
                accepted += 1
                #expect(!bytes.isEmpty && policy.types.allSatisfy { policy.type($0.name) == $0 }, "seed \(seed)")
            } catch {
                let places = error.errors.map { SourcePlace(line: $0.line, column: $0.column) }
                #expect(!places.isEmpty && places == places.sorted(), "seed \(seed): \(error.errors)")
            }
        }
        #expect(300...2_700 ~= accepted, "\(accepted) of 3,000 were accepted")
    }

    /// Parses a text.
    ///
    /// - Returns: Whether it is a document.
    private static func reads(_ bytes: [UInt8], _ name: String) -> Bool {
        do throws(GraphQLError) {
            _ = try DocumentParser.parse(bytes)
            return true
        } catch {
            let lines = bytes.filter { $0 == 0x0A || $0 == 0x0D }.count + 1
            #expect(
                1...lines ~= error.line && 1...(bytes.count + 1) ~= error.column && !error.message.contains("\n"),
                "\(name): \(error)")
            return false
        }
    }

    private static func bytes(seed: UInt64) -> [UInt8] {
        var document = RoundTripTests.document(seed: seed)
        return Array(RoundTripTests.text(&document, seed: seed).utf8)
    }

    /// Exchanges one word of the document for another: mostly it is still a document, about other names.
    private static func swapWords(in bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let starts = bytes.indices.filter {
            Lexer.isNamePart(bytes[$0]) && ($0 == 0 || !Lexer.isNamePart(bytes[$0 - 1]))
        }
        guard !starts.isEmpty else { return }
        let source = generator.pick(starts)
        let target = generator.pick(starts)
        let word = Array(bytes[source...].prefix(while: Lexer.isNamePart))
        bytes.replaceSubrange(target..<target + bytes[target...].prefix(while: Lexer.isNamePart).count, with: word)
    }
}
