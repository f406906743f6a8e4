import Tidemark
import TidemarkModel
import TidemarkTesting

/// A naive model of cascades: dictionaries of nodes and their edges, under the policy of ``CascadeFixture``.
struct NaiveCascades {
    struct Node {
        var json: String
        /// The names of the entities that the node refers to through fields that cascade.
        var edges: [String]
        /// The sequence of the last write; nil when it had none.
        var sequence: Int?
        /// Whether the write covers everything up to its sequence, as an answer does.
        var isInclusive = false

        var bytes: [UInt8] { Array(json.utf8) }
    }

    enum Change {
        case put(String, Node)
        case delete(String)

        var operation: TransactionOperation {
            switch self {
            case .put(let name, let node): .put(type: ByteString(NaiveCascades.type(name)), resource: node.bytes)
            case .delete(let name): NaiveCascades.delete(name)
            }
        }
    }

    struct Layer {
        var id: String
        var changes: [Change]
        var along: Set<String>
    }

    static let names = (1...6).flatMap { ["file:\($0)", "part:\($0)"] }

    var base: [String: Node] = [:]
    /// The sequences of deletes by name; the inner nil stands for a delete without a sequence.
    var tombstones: [String: Int?] = [:]
    var layers: [Layer] = []
    var sequence = 0

    static func type(_ name: String) -> String { String(name.prefix(4)) }
    static func id(_ name: String) -> String { String(name.dropFirst(5)) }

    static func delete(_ name: String) -> TransactionOperation {
        .delete(type: ByteString(type(name)), id: ByteString(id(name)))
    }

    static func node(_ random: inout SeededGenerator, type: String? = nil) -> (String, Node) {
        let name = type.map { "\($0):\(random.below(6) + 1)" } ?? random.pick(names)
        var edges: [String] = []
        var fields = [#""id":"\#(id(name))""#]
        // Every write has every field, because an answer keeps the fields that it does not have.
        for (field, target) in Self.type(name) == "file"
            ? [("parts", "part"), ("next", "file")] : [("whole", "file"), ("leaf", "part")]
        {
            let targets = (0..<random.pick([0, 0, 1, 1, 2])).map { _ in "\(random.below(6) + 1)" }
            edges += targets.map { "\(target):\($0)" }
            var values: [String] = []
            for id in targets {
                values.append(random.pick([id, "\"\(id)\"", #"{"id":\#(id)}"#, #"{"n":1,"uuid":"\#(id)"}"#]))
            }
            let isAlone = values.count == 1 && random.chance(500)
            fields.append(#""\#(field)":\#(isAlone ? values[0] : "[\(values.joined(separator: ","))]")"#)
        }
        if random.chance(300) { fields.append(#""friend":"\#(random.below(6) + 1)""#) }
        return (name, Node(json: "{\(fields.joined(separator: ","))}", edges: edges))
    }

    /// Deletes an entity with its cascade; returns the deleted names.
    @discardableResult
    static func delete(
        _ name: String, from nodes: inout [String: Node], keeps: (Node) -> Bool
    ) -> Set<String> {
        guard let node = nodes[name], !keeps(node) else { return [] }
        nodes[name] = nil
        return node.edges.reduce(into: [name]) { $0.formUnion(delete($1, from: &nodes, keeps: keeps)) }
    }

    // MARK: The server

    mutating func change(_ name: String, _ node: Node) {
        if let old = base[name], let own = old.sequence, old.isInclusive ? own >= sequence : own > sequence { return }
        base[name] = node
        base[name]?.sequence = sequence
        tombstones[name] = nil
    }

    mutating func deleteByEvent(_ name: String) {
        let now = sequence
        let keeps = { (node: Node) in
            guard let own = node.sequence else { return false }
            return node.isInclusive ? own >= now : own > now
        }
        if let node = base[name], keeps(node) { return }
        let gone = Self.delete(name, from: &base, keeps: keeps).union([name])
        for name in gone { tombstones[name] = .some(now) }
    }

    mutating func answer(_ name: String, _ node: Node, asOf: Int) {
        if let own = base[name]?.sequence, own > asOf { return }
        if base[name] == nil, let deleted = tombstones[name], let deleted, deleted > asOf { return }
        base[name] = node
        base[name]?.sequence = asOf
        base[name]?.isInclusive = true
        tombstones[name] = nil
    }

    /// Performs a transaction.
    ///
    /// - Parameter deleted: The names that its operations delete, whether they exist or not.
    mutating func transact(_ edit: [String: Node], deleted: Set<String>) {
        for name in deleted.union(base.keys) where edit[name] == nil { tombstones[name] = .some(nil) }
        for name in edit.keys { tombstones[name] = nil }
        base = edit
    }

    mutating func remove(_ name: String, cascades: Bool) -> Int {
        guard cascades else { return base.removeValue(forKey: name) == nil ? 0 : 1 }
        return Self.delete(name, from: &base) { _ in false }.count
    }

    // MARK: The host

    mutating func lay(_ id: String, _ changes: [Change]) {
        var nodes = visible
        var along: Set<String> = []
        // The layer contains the cascade of each delete as deletes at the same place.
        var whole: [Change] = []
        for change in changes {
            whole.append(change)
            switch change {
            case .put(let name, let node): nodes[name] = node
            case .delete(let name):
                let others = Self.delete(name, from: &nodes) { _ in false }.subtracting([name])
                along.formUnion(others)
                whole += others.map { .delete($0) }
            }
        }
        layers.append(Layer(id: id, changes: whole, along: along))
    }

    private var visible: [String: Node] {
        var nodes = base
        for change in layers.flatMap(\.changes) {
            switch change {
            case .put(let name, let node): nodes[name] = node
            case .delete(let name): nodes[name] = nil
            }
        }
        return nodes
    }

    var seen: [String] { Self.names.filter { visible[$0] != nil } }
}
