import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled) struct DocumentStoreTests {
    @Test func `the least recently used go first`() {
        var store = DocumentStore<Int>(countMax: 2, byteCountMax: 100)
        store.keep(1, for: "a")
        store.keep(2, for: "b")
        #expect(store.parsed("a") == 1)
        store.keep(3, for: "c")
        #expect(store.parsed("b") == nil && store.parsed("a") == 1 && store.parsed("c") == 3)
        store.keep(4, for: "a")
        #expect(store.parsed("a") == 4 && store.count == 2)
    }

    @Test func `a document larger than all may be together is not kept`() {
        var store = DocumentStore<Int>(countMax: 10, byteCountMax: 3)
        store.keep(1, for: "abcd")
        #expect(store.count == 0)
        store.keep(2, for: "abc")
        store.keep(3, for: "d")
        #expect(store.parsed("abc") == nil && store.parsed("d") == 3)
    }

    @Test(arguments: TestScale.seeds(50)) func `random uses keep what a list in the order of use keeps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed, index: 40)
        var store = DocumentStore<Int>(countMax: 5, byteCountMax: 12)
        // The newest first.
        var model: [(text: ByteString, value: Int)] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 300) {
            let text = ByteString(String(repeating: "x", count: generator.below(4)) + "\(generator.below(8))")
            if generator.chance(500) {
                store.keep(walk.step, for: text)
                model.removeAll { $0.text == text }
                model.insert((text, walk.step), at: 0)
                while model.count > 5 || model.reduce(0, { $0 + $1.text.bytes.count }) > 12 { model.removeLast() }
            } else {
                let index = model.firstIndex { $0.text == text }
                #expect(store.parsed(text) == index.map { model[$0].value }, "\(walk)")
                if let index { model.insert(model.remove(at: index), at: 0) }
            }
            #expect(store.count == model.count, "\(walk)")
        }
    }
}
