import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct VariantTests {
    private let salt: [UInt8] = [1, 2, 3]

    private func matches(_ stored: [String], _ asked: [String], _ names: [ByteString]) -> Bool {
        Variant(fields(stored), names: names, salt: salt).matches(fields(asked), salt: salt)
    }

    /// RFC 9111, section 4.1.
    @Test(arguments: [
        (["A: 1"], ["A: 1"], true), (["A: 1"], ["A: 2"], false), (["A: 1"], [], false), ([], ["A: 1"], false),
        ([], [], true), ([], ["B: 1"], true), (["A: 1", "A: 2"], ["A: 1, 2"], true), (["A: 1,2"], ["a: 1,  2"], true),
        (["A: x"], ["A: X"], false), (["A: 1, 2"], ["A: 2, 1"], false), (["A:"], [], false),
    ])
    func `a request selects the answer whose fields it repeats`(stored: [String], asked: [String], isSame: Bool) {
        #expect(matches(stored, asked, ["a"]) == isSame)
    }

    @Test(arguments: ["Accept", "Accept-Language", "Accept-Encoding"])
    func `negotiation is compared without case and spaces`(name: String) {
        let lower = ByteString(name.lowercased())
        #expect(matches(["\(name): EN, De;q=0.5"], ["\(name): en,de; q=0.5"], [lower]))
        #expect(!matches(["\(name): en"], ["\(name): de"], [lower]))
    }

    @Test func `the disk does not see credentials`() {
        let variant = Variant(fields(["Authorization: secret", "Cookie: c"]), names: ["cookie"], salt: salt)
        #expect(variant != Variant(fields(["Authorization: secret", "Cookie: c"]), names: ["cookie"], salt: [9]))
        #expect(variant.credentials.bytes.count == 32 && variant.values[0].bytes.count == 32)
    }

    /// The law of the room: an answer that was stored for one user is never selected for another.
    @Test(arguments: 0..<64)
    func `answers of two users never mix`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = ["", "a", "b", "a, b", "Bearer 1", "Bearer 2", "a; b", "A"]
        func user() -> [String] {
            var lines: [String] = []
            for name in ["Authorization", "Cookie", "authorization", "COOKIE"] where random.chance(500) {
                lines.append("\(name): \(random.pick(values))")
            }
            return lines
        }
        func key(_ lines: [String]) -> [[String]] {
            ["authorization", "cookie"].map { name in
                lines.filter { $0.lowercased().hasPrefix(name + ":") }.map {
                    String($0.drop { $0 != ":" }.dropFirst(2))
                }
            }
        }
        for _ in 0..<200 {
            let (first, second) = (user(), user())
            let names = ["accept", "cookie", "x"].filter { _ in random.chance(500) }.map { ByteString($0) }
            let isSame = key(first) == key(second)
            if !isSame { #expect(!matches(first, second, names), "seed \(seed): \(first) \(second)") }
            #expect(matches(first, first, names))
        }
    }
}
