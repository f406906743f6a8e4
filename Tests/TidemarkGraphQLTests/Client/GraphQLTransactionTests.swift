import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

@Suite(.pooled) struct GraphQLTransactionTests {
    private static let hero: GraphQLDocument = "{ hero { name age } }"
    private static let keyed: GraphQLDocument = "{ hero { __typename id name age } }"
    private static let list: GraphQLDocument = "{ all { n } }"

    private struct Stop: Error {}

    private func filled() async throws -> GraphQLClient {
        let client = try await GraphQLClient.scripted().client
        try await client.write(
            try JSONValue(parsing: #"{"hero":{"__typename":"C","id":"1","name":"Luke","age":19}}"#.utf8),
            for: Self.keyed)
        return client
    }

    private func name(_ client: GraphQLClient) async throws -> String? {
        try await client.read(Self.hero)["hero"]?["name"]?.string
    }

    @Test func `an update keeps keys that the document does not select`() async throws {
        let client = try await filled()
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(Self.hero) { (data: inout JSONValue) in
                data = ["hero": ["name": "Artoo", "age": data["hero"]?["age"] ?? .null]]
            }
        }
        #expect(try await name(client) == "Artoo")
        #expect(
            try await client.read("{ hero { __typename id name age } }" as GraphQLDocument).text
                == #"{"hero":{"__typename":"C","id":"1","name":"Artoo","age":19}}"#)
    }

    @Test func `a body that throws leaves nothing`() async throws {
        let client = try await filled()
        await #expect(throws: Stop.self) {
            try await client.withinReadWriteTransaction { transaction in
                try transaction.update(Self.hero) { (data: inout JSONValue) in
                    data = ["hero": ["name": "x", "age": 1]]
                }
                let seen = try transaction.read(Self.hero)
                #expect(seen["hero"]?["name"]?.string == "x")
                try transaction.remove(object: "C:1")
                throw Stop()
            }
        }
        #expect(try await name(client) == "Luke")
    }

    @Test func `watchers hear of a transaction once`() async throws {
        let client = try await filled()
        var results = client.watch(query: Self.hero, cachePolicy: .cacheOnly).makeAsyncIterator()
        _ = try await results.next()
        try await client.withinReadWriteTransaction { transaction in
            for name in ["a", "b", "c"] {
                try transaction.update(Self.hero) { (data: inout JSONValue) in
                    data = ["hero": ["name": .string(name), "age": 1]]
                }
            }
        }
        let next = try #require(try await results.next())
        #expect(next.data?["hero"]?.text == #"{"name":"c","age":1}"#)
    }

    @Test func `a list without keys may be reordered and shortened`() async throws {
        let client = try await filled()
        try await client.write(
            try JSONValue(
                parsing: #"{"all":[{"__typename":"C","id":"4","n":1},{"__typename":"C","id":"5","n":2}]}"#.utf8),
            for: "{ all { __typename id n } }" as GraphQLDocument)
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(Self.list) { (data: inout JSONValue) in data = ["all": [["n": 7], ["n": 8]]] }
        }
        #expect(
            try await client.read("{ all { id n } }" as GraphQLDocument).text
                == #"{"all":[{"id":"4","n":7},{"id":"5","n":8}]}"#)
        await #expect(throws: CacheError.self) {
            try await client.withinReadWriteTransaction { transaction in
                try transaction.update(Self.list) { (data: inout JSONValue) in data = ["all": [["n": 9]]] }
            }
        }
        // An element that is moved, or whose key is left out, keeps its key.
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(Self.list) { (data: inout JSONValue) in data = ["all": [["n": 8], ["n": 7]]] }
        }
        #expect(
            try await client.read("{ all { id n } }" as GraphQLDocument).text
                == #"{"all":[{"id":"5","n":8},{"id":"4","n":7}]}"#)
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(Self.list) { (data: inout JSONValue) in data = ["all": [["n": 7]]] }
        }
        #expect(try await client.read("{ all { id n } }" as GraphQLDocument).text == #"{"all":[{"id":"4","n":7}]}"#)
    }

    @Test func `a miss says so, and a new answer is written whole`() async throws {
        let client = try await GraphQLClient.scripted().client
        await #expect(throws: CacheError.self) {
            try await client.withinReadTransaction { try $0.read(Self.hero) }
        }
        try await client.withinReadWriteTransaction { transaction in
            try transaction.write(
                ["hero": ["__typename": "C", "id": "9", "name": "new", "age": 0]], for: Self.keyed)
        }
        let read = try await client.withinReadTransaction { try $0.read(Self.hero) }
        #expect(read["hero"]?["name"]?.string == "new")
        // The root field is fresh: nobody has to be asked.
        #expect(try await client.fetch(query: Self.hero, cachePolicy: .cacheOnly).isStale == false)
    }

    @Test func `transactions that race count every step`() async throws {
        let client = try await filled()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<10 {
                        try await client.withinReadWriteTransaction { transaction in
                            try transaction.update(Self.hero) { (data: inout JSONValue) in
                                let age = data["hero"]?["age"]?.int64 ?? 0
                                data = ["hero": ["name": "n", "age": .number(JSONNumber(age + 1))]]
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.read(Self.hero)["hero"]?["age"]?.int64 == 59)
    }

    // MARK: The law

    /// Random transactions against a dictionary: some throw, some are several updates.
    @Test(arguments: TestScale.seeds(3))
    func `a read gives what the transactions that ended well wrote`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let client = try await GraphQLClient.scripted().client
        var model: [Int: Int64] = [:]
        @Sendable func document(_ id: Int) -> GraphQLDocument {
            GraphQLDocument(
                "query Q($i: Int) { item(i: $i) { __typename id n } }", variables: ["i": .number(JSONNumber(id))])
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 300) {
            let round = walk.step
            var after = model
            var steps: [(id: Int, value: Int64?)] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let id = Int.random(in: 0..<6, using: &random)
                steps.append((id, Int.random(in: 0..<5, using: &random) == 0 ? nil : Int64(round)))
            }
            let fails = Int.random(in: 0..<3, using: &random) == 0
            for step in steps where step.value != nil { after[step.id] = step.value }
            // Removals apply when the transaction does: after its writes.
            for step in steps where step.value == nil { after[step.id] = nil }
            walk.note("\(steps)\(fails ? ", which fails" : "")")
            let work = steps
            do {
                try await client.withinReadWriteTransaction { transaction in
                    for step in work {
                        guard let value = step.value else {
                            try transaction.remove(object: "T:\(step.id)")
                            continue
                        }
                        try transaction.write(
                            [
                                "item": [
                                    "__typename": "T", "id": .string("\(step.id)"), "n": .number(JSONNumber(value)),
                                ]
                            ],
                            for: document(step.id))
                    }
                    if fails { throw Stop() }
                }
                #expect(!fails)
                model = after
            } catch is Stop {
                #expect(fails)
            }
            for id in 0..<6 {
                let read: Int64?
                do {
                    read = try await client.read(document(id))["item"]?["n"]?.int64
                } catch let error as CacheError where error.code == .cacheMiss {
                    read = nil
                }
                guard read != model[id] else { continue }
                try walk.check(["item \(id): \(String(describing: read)), not \(String(describing: model[id]))"])
            }
        }
    }
}
