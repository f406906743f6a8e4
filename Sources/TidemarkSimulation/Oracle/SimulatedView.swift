import TidemarkReferenceModel

/// The views of every simulated world, one for each kind of operator.
package enum SimulatedView: String, CaseIterable, Sendable {
    /// A filter, an order and a window.
    case window
    /// A join of one type with itself.
    case pairs
    /// A tree: entities chosen by a parameter, each with the first of those that have the same value.
    case tree
    /// Groups with aggregates.
    case groups

    /// The rule in JSON, as `Protocol/views.md` defines it.
    package var rule: String {
        switch self {
        case .window:
            #"{"from":{"type":"file","as":"f","where":{"path":"/n","gte":1}},"#
                + #""select":{"n":"f/n","t":"f/t","v":"f/v"},"#
                + #""order":[{"path":"/t","direction":"desc"},{"path":"/n"}],"limit":3,"total":true}"#
        case .pairs:
            #"{"from":{"type":"file","as":"a","where":{"path":"/n","eq":2}},"#
                + #""joins":[{"type":"file","as":"b","on":{"/t":"a/t"},"where":{"path":"/n","eq":1}}],"#
                + #""select":{"a":"a/v","b":"b/v"},"total":true}"#
        case .tree:
            #"{"from":{"type":"file","as":"f","where":{"path":"/n","eq":{"param":"n"}}},"select":{"t":"f/t"},"#
                + #""include":{"near":{"type":"file","as":"g","on":{"/t":"f/t"},"where":{"path":"/n","gte":2},"#
                + #""select":{"v":"g/v"},"order":[{"path":"/v","direction":"desc"}],"limit":2}}}"#
        case .groups:
            #"{"from":"file","group":{"t":"file/t"},"#
                + #""aggregates":{"all":{"count":true},"known":{"count":"file/n"},"last":{"max":"file/v"}}}"#
        }
    }

    /// The values of the rule's parameters as a JSON object; nil for none.
    package var params: String? { self == .tree ? #"{"n":0}"# : nil }

    /// True if the view is defined, so that its result is stored.
    package var isDefined: Bool { self == .window || self == .groups }

    /// Computes the rows of the whole result, and cuts them, without any part of the engine.
    ///
    /// - Returns: The rows of the window, and the number of all rows.
    /// - Throws: ``ReferenceJSONError`` if a rule is not JSON.
    package func result(of entities: SimulatedEntities) throws(ReferenceJSONError) -> (rows: [String], total: Int) {
        switch self {
        case .window:
            let order = #""order":[{"path":"/t","direction":"desc"},{"path":"/n"}]"#
            let all = try Self.selected(entities, #"{"where":{"path":"/n","gte":1},\#(order)}"#)
            return (all.prefix(3).map(\.members), all.count)
        case .pairs:
            let left = try Self.selected(entities, #"{"where":{"path":"/n","eq":2}}"#)
            let right = try Self.selected(entities, #"{"where":{"path":"/n","eq":1}}"#)
            let rows = left.flatMap { a in
                right.filter { Self.areJoined($0, a) }.map { b in
                    Self.object([("a", a.values["v"]), ("b", b.values["v"])])
                }
            }
            return (rows, rows.count)
        case .tree:
            let order = #""order":[{"path":"/v","direction":"desc"}]"#
            let inner = try Self.selected(entities, #"{"where":{"path":"/n","gte":2},\#(order)}"#)
            let rows = try Self.selected(entities, #"{"where":{"path":"/n","eq":0}}"#).map { outer in
                let near = inner.filter { Self.areJoined($0, outer) }.prefix(2)
                let list = "[" + near.map { Self.object([("v", $0.values["v"])]) }.joined(separator: ",") + "]"
                return Self.object([("t", outer.values["t"]), ("near", list)])
            }
            return (rows, rows.count)
        case .groups:
            let groups = Dictionary(grouping: entities.all.map(\.fields)) { $0.values["t"] }
            // The group without a value comes first. The texts end with a quotation mark, which is no part of them.
            let sorted = groups.sorted { left, right in
                guard let left = left.key, let right = right.key else { return left.key == nil }
                return left.dropLast().utf8.lexicographicallyPrecedes(right.dropLast().utf8)
            }
            let rows = sorted.map { value, members in
                let last = members.compactMap { $0.values["v"].flatMap { Int64($0) } }.max()
                let known = members.filter { ($0.values["n"] ?? "null") != "null" }
                return Self.object([
                    ("t", value), ("all", "\(members.count)"), ("known", "\(known.count)"),
                    ("last", last.map { "\($0)" }),
                ])
            }
            return (rows, rows.count)
        }
    }

    /// True if both have one value of `t`; all values of `t` are strings.
    private static func areJoined(_ left: ItemFields, _ right: ItemFields) -> Bool {
        left.values["t"] != nil && left.values["t"] == right.values["t"]
    }

    /// An object without the members that have no value.
    private static func object(_ members: [(name: String, value: String?)]) -> String {
        "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    }

    private static func selected(
        _ entities: SimulatedEntities, _ rule: String
    ) throws(ReferenceJSONError) -> [ItemFields] {
        try entities.selected(rule).map(\.fields)
    }
}
