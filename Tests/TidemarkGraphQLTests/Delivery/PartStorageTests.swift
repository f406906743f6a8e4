import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// The fields that each payload of an answer in parts brings.
@Suite(.pooled) struct PartStorageTests {
    /// A store of plain dictionaries that takes payloads as they come.
    private struct Store {
        var world: GraphQLWorld
        var entities: [String: JSONValue] = [:]
        var written: [[String]] = []

        mutating func take(_ document: String, _ answer: IncrementalResponse, _ mask: PayloadMask) throws {
            var options = ResponseNormalizer.Options()
            options.isPartial = true
            options.mask = mask
            let normalized = try ResponseNormalizer.normalize(
                answer.data.bytes, plan: try world.plan(document), options: options)
            written.append([])
            for entity in normalized.entities {
                let name = entity.key.text.description
                written[written.count - 1].append("\(name) \(String(decoding: entity.resource, as: UTF8.self))")
                let own = try JSONValue(parsing: entity.resource)
                entities[name] = Store.merged(entities[name] ?? .object([]), own)
            }
        }

        /// Embedded objects are merged, everything else takes the place of what is there.
        static func merged(_ value: JSONValue, _ other: JSONValue) -> JSONValue {
            guard case .object(var members) = value, case .object(let others) = other, value["__ref"] == nil,
                other["__ref"] == nil
            else { return other }
            for member in others {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index].value = merged(members[index].value, member.value)
                } else {
                    members.append(member)
                }
            }
            return .object(members)
        }
    }

    private func written(_ document: String, _ payloads: [String]) throws -> [[String]] {
        var store = Store(world: try GraphQLWorld())
        var answer = IncrementalResponse(.defer20220824)
        for payload in payloads {
            let change = try answer.apply(try JSONValue(parsing: payload.utf8))
            try store.take(document, answer, change.mask)
        }
        return store.written
    }

    @Test func `a payload writes its fields of an entity, and not the reference to it`() throws {
        let lines = try written(
            "{ hero { __typename id a b friends { __typename id n m } } }",
            [
                #"{"data":{"hero":{"__typename":"C","id":"1","a":1,"friends":[{"__typename":"C","id":"2","n":3},{"__typename":"C","id":"3","n":4}]}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero"],"data":{"b":2}},{"path":["hero","friends",1],"data":{"m":5}}],"hasNext":false}"#,
            ])
        #expect(lines[1] == [#"C:3 {"m":5}"#, #"C:1 {"b":2}"#])
    }

    @Test func `a list of embedded objects is written whole as it stands by then`() throws {
        let lines = try written(
            "{ hero { __typename id l { x y } } }",
            [
                #"{"data":{"hero":{"__typename":"C","id":"1","l":[{"x":1},{"x":2}]}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero","l",0],"data":{"y":9}}],"hasNext":false}"#,
            ])
        #expect(lines[1] == [#"C:1 {"l":[{"x":1,"y":9},{"x":2}]}"#])
    }

    @Test func `an embedded object is written with the payload's fields alone`() throws {
        let lines = try written(
            "{ box { __typename in { __typename a b } } }",
            [
                #"{"data":{"box":{"__typename":"Box","in":{"__typename":"In","a":1}}},"hasNext":true}"#,
                #"{"incremental":[{"path":["box","in"],"data":{"b":2}}],"hasNext":false}"#,
            ])
        #expect(
            lines[1] == [
                #"Query:box {"id":"box","value":{"__typename":"Box","in":{"__typename":"In","b":2}}}"#
            ])
    }

    // MARK: The law

    /// Random data, as a server answers a document that asks for all of it.
    private struct Graph {
        var document = ""
        var data = JSONValue.null

        init(_ random: inout SeededGenerator) {
            var names = 0
            (document, data) = Graph.object(&random, depth: 0, &names, hasKey: false)
        }

        private static func object(
            _ random: inout SeededGenerator, depth: Int, _ names: inout Int, hasKey: Bool
        ) -> (String, JSONValue) {
            var fields: [String] = []
            var members: [JSONMember] = []
            if hasKey {
                fields = ["__typename", "id"]
                // Types and keys are made of few values, so that one entity occurs at several places.
                members = [
                    JSONMember("__typename", .string("T")), JSONMember("id", .string("\(names)")),
                ]
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                names += 1
                let name = "f\(names)"
                switch Int.random(in: 0..<(depth > 2 ? 1 : 4), using: &random) {
                case 0, 1:
                    fields.append(name)
                    members.append(JSONMember(name, .number(JSONNumber(names))))
                case 2:
                    let inner = object(&random, depth: depth + 1, &names, hasKey: Bool.random(using: &random))
                    fields.append("\(name) \(inner.0)")
                    members.append(JSONMember(name, inner.1))
                default:
                    let hasKey = Bool.random(using: &random)
                    let inner = object(&random, depth: depth + 1, &names, hasKey: hasKey)
                    fields.append("\(name) \(inner.0)")
                    let elements = (0..<Int.random(in: 0...3, using: &random)).map { index -> JSONValue in
                        guard case .object(var copy) = inner.1 else { return inner.1 }
                        if hasKey { copy[1].value = .string("\(names)-\(index)") }
                        return .object(copy)
                    }
                    members.append(JSONMember(name, .array(elements)))
                }
            }
            return ("{ \(fields.joined(separator: " ")) }", .object(members))
        }
    }

    /// Cuts members out of data; each becomes an item with its path.
    private func cut(
        _ value: JSONValue, at path: [JSONValue], _ random: inout SeededGenerator,
        into items: inout [(path: [JSONValue], data: JSONValue)]
    ) -> JSONValue {
        switch value {
        case .object(let members):
            var kept: [JSONMember] = []
            for member in members {
                let isKey = member.name == "id" || member.name == "__typename"
                if !isKey, Int.random(in: 0..<4, using: &random) == 0 {
                    items.append((path, .object([member])))
                } else {
                    kept.append(
                        JSONMember(
                            member.name,
                            cut(member.value, at: path + [.string(member.name)], &random, into: &items)))
                }
            }
            return .object(kept)
        case .array(let elements):
            return .array(
                elements.enumerated().map {
                    cut($1, at: path + [.number(JSONNumber($0))], &random, into: &items)
                })
        default: return value
        }
    }

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func `payloads leave what the whole answer leaves`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let graph = Graph(&random)
            var items: [(path: [JSONValue], data: JSONValue)] = []
            let first = cut(graph.data, at: [], &random, into: &items)
            items.shuffle(using: &random)
            var store = Store(world: try GraphQLWorld())
            var answer = IncrementalResponse(.defer20220824)
            var payloads: [JSONValue] = [.object([JSONMember("data", first), JSONMember("hasNext", true)])]
            while !items.isEmpty {
                let count = Int.random(in: 1...items.count, using: &random)
                let list = items.prefix(count).map { item in
                    JSONValue.object([JSONMember("path", .array(item.path)), JSONMember("data", item.data)])
                }
                items.removeFirst(count)
                payloads.append(.object([JSONMember("incremental", .array(list)), JSONMember("hasNext", true)]))
            }
            for payload in payloads {
                let change = try answer.apply(payload)
                try store.take(graph.document, answer, change.mask)
            }
            var whole = Store(world: try GraphQLWorld())
            try whole.take(graph.document, answer, .whole)
            #expect(answer.data.canonical == graph.data.canonical)
            #expect(
                store.entities.mapValues(\.canonical) == whole.entities.mapValues(\.canonical),
                "seed \(seed), round \(round): \(graph.document)")
        }
    }
}
