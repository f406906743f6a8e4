import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkTesting
import TidemarkJSON

@Suite(.pooled) struct DataPatchTests {
    static func text(_ operations: [PatchOperation]) -> String {
        var line = JSONLine()
        line.array { line in
            for operation in operations { operation.append(to: &line) }
        }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    static func patch(_ old: String, _ new: String, keys: ([GraphQLKey?], [GraphQLKey?])? = nil) -> String {
        func snapshot(_ text: String, _ keys: [GraphQLKey?]?) -> GraphQLSnapshot {
            let data = Array(text.utf8)
            let offset = data.firstIndex(of: UInt8(ascii: "[")) ?? 0
            return GraphQLSnapshot(data: data, lists: keys.map { [EntityList(offset: offset, keys: $0)] } ?? [])
        }
        return DataPatchTests.text(
            DataPatch.operations(from: snapshot(old, keys?.0), to: snapshot(new, keys?.1)))
    }

    @Test func `equal data has no operations`() {
        #expect(Self.patch(#"{"a":1}"#, #"{"a":1}"#) == "[]")
    }

    @Test func `members are changed where they are`() {
        #expect(
            Self.patch(#"{"a":{"b":1,"c/~":2,"d":3}}"#, #"{"a":{"b":1,"c/~":5,"e":[]}}"#)
                == #"[{"op":"remove","path":"/a/d"},{"op":"replace","path":"/a/c~1~0","value":5},{"op":"add","path":"/a/e","value":[]}]"#
        )
    }

    @Test func `elements that are entities come, go and move as wholes, and change inside`() {
        let keys = ["1", "2", "3", "4"].map { GraphQLKey(type: "C", id: ByteString($0)) }
        #expect(
            Self.patch(
                #"{"l":[{"n":1},{"n":2},{"n":3}]}"#, #"{"l":[{"n":3},{"n":9},{"n":4}]}"#,
                keys: ([keys[0], keys[1], keys[2]], [keys[2], keys[1], keys[3]]))
                == #"[{"op":"remove","path":"/l/0"},{"op":"move","from":"/l/0","path":"/l/1"},"#
                + #"{"op":"add","path":"/l/2","value":{"n":4}},{"op":"replace","path":"/l/1/n","value":9}]"#)
    }

    @Test func `a list of values takes the fewer operations`() {
        #expect(Self.patch("[1,2,3,4]", "[2,3,4]") == #"[{"op":"remove","path":"/0"}]"#)
        #expect(Self.patch("[1,2,3]", "[1,5,3]") == #"[{"op":"replace","path":"/1","value":5}]"#)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `folding the patch gives the new data`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let old = Self.randomValue(&random, depth: 0)
            let new = Bool.random(using: &random) ? Self.changed(old, &random) : Self.randomValue(&random, depth: 0)
            let before = GraphQLSnapshot(data: old.bytes, lists: Self.lists(old))
            let after = GraphQLSnapshot(data: new.bytes, lists: Self.lists(new))
            let operations = DataPatch.operations(from: before, to: after)
            let folded = try PatchFold.apply(operations, to: old)
            #expect(folded == new, "seed \(seed): \(Self.text(operations))")
            #expect(operations.isEmpty == (before.data == after.data))
        }
    }

    /// A list of objects with `k` counts as a list of entities.
    private static func lists(_ value: Tree) -> [EntityList] {
        var found: [EntityList] = []
        var offset = 0
        func walk(_ value: Tree) {
            switch value {
            case .list(let elements):
                let keys = elements.map { element -> GraphQLKey? in
                    guard case .object(let object) = element, let key = object["k"] else { return nil }
                    return GraphQLKey(type: "C", id: ByteString(key.bytes))
                }
                if keys.contains(where: { $0 != nil }) { found.append(EntityList(offset: offset, keys: keys)) }
                offset += 1
                for (index, element) in elements.enumerated() {
                    if index > 0 { offset += 1 }
                    walk(element)
                }
                offset += 1
            case .object(let members):
                offset += 1
                for (index, name) in members.keys.sorted().enumerated() {
                    if index > 0 { offset += 1 }
                    offset += name.utf8.count + 3
                    walk(members[name] ?? .scalar("null"))
                }
                offset += 1
            default: offset += value.bytes.count
            }
        }
        walk(value)
        return found
    }

    private static func randomValue(_ random: inout SeededGenerator, depth: Int) -> Tree {
        switch Int.random(in: 0..<(depth > 3 ? 3 : 6), using: &random) {
        case 0: return .scalar("null")
        case 1: return .scalar("\(Int.random(in: 0..<4, using: &random))")
        case 2: return .scalar(["\"a\"", "\"b\"", "true"][Int.random(in: 0..<3, using: &random)])
        case 3:
            return .list(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in randomValue(&random, depth: depth + 1) })
        default:
            var members: [String: Tree] = [:]
            for name in ["a", "b", "k", "x"] where Bool.random(using: &random) {
                members[name] = randomValue(&random, depth: depth + 1)
            }
            return .object(members)
        }
    }

    private static func changed(_ value: Tree, _ random: inout SeededGenerator) -> Tree {
        switch value {
        case .list(var elements):
            if elements.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
                elements.shuffle(using: &random)
                elements.append(randomValue(&random, depth: 3))
            } else {
                let index = Int.random(in: 0..<elements.count, using: &random)
                elements[index] = changed(elements[index], &random)
            }
            return .list(elements)
        case .object(var members):
            guard let name = members.keys.sorted().randomElement(using: &random), let old = members[name] else {
                return randomValue(&random, depth: 2)
            }
            members[name] = changed(old, &random)
            return .object(members)
        default: return randomValue(&random, depth: 3)
        }
    }
}

/// RFC 6902 over a value, naively.
enum PatchFold {
    struct Broken: Error {}

    static func apply(_ operations: [PatchOperation], to value: Tree) throws -> Tree {
        var value = value
        for operation in operations {
            switch operation.change {
            case .add(let json): try insert(try Tree(parsing: json), at: operation.path[...], in: &value)
            case .replace(let json):
                if !operation.path.isEmpty { _ = try remove(operation.path[...], in: &value) }
                try insert(try Tree(parsing: json), at: operation.path[...], in: &value)
            case .remove: _ = try remove(operation.path[...], in: &value)
            case .move(let from):
                let moved = try remove(from[...], in: &value)
                try insert(moved, at: operation.path[...], in: &value)
            }
        }
        return value
    }

    private static func insert(_ new: Tree, at path: ArraySlice<ResponseStep>, in value: inout Tree) throws {
        guard let step = path.first else { return value = new }
        switch (step, value) {
        case (.name(let name), .object(var members)):
            if path.count == 1 {
                members[name.description] = new
            } else {
                var inner = members[name.description] ?? .scalar("null")
                try insert(new, at: path.dropFirst(), in: &inner)
                members[name.description] = inner
            }
            value = .object(members)
        case (.index(let index), .list(var elements)):
            guard index <= elements.count else { throw Broken() }
            if path.count == 1 {
                elements.insert(new, at: index)
            } else {
                try insert(new, at: path.dropFirst(), in: &elements[index])
            }
            value = .list(elements)
        default: throw Broken()
        }
    }

    private static func remove(_ path: ArraySlice<ResponseStep>, in value: inout Tree) throws -> Tree {
        guard let step = path.first else { throw Broken() }
        switch (step, value) {
        case (.name(let name), .object(var members)):
            guard var inner = members[name.description] else { throw Broken() }
            let removed: Tree
            if path.count == 1 {
                removed = inner
                members[name.description] = nil
            } else {
                removed = try remove(path.dropFirst(), in: &inner)
                members[name.description] = inner
            }
            value = .object(members)
            return removed
        case (.index(let index), .list(var elements)):
            guard index < elements.count else { throw Broken() }
            let removed =
                path.count == 1 ? elements.remove(at: index) : try remove(path.dropFirst(), in: &elements[index])
            value = .list(elements)
            return removed
        default: throw Broken()
        }
    }
}
