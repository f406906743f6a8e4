import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// Views over changes: a line of a rule, a line of its parameters, then lines of changes.
///
/// `t1 {"id":"1"}` stores the first entity of type `t`, `t1` deletes it, `t1?` forgets it; a blank line ends a unit.
/// What an observer folds and what is read equal a view that is computed anew, and the naive model.
enum ViewTarget {
    static let target = FuzzTarget("view", byteCountMax: 2_048, .now(check))

    /// The most changes of an input.
    private static let changeCountMax = 24
    /// The most sources of a rule, as the model tries every combination of entities.
    private static let sourceCountMax = 4

    private final class Entities: ListableEntities {
        var states: [ViewKey: ViewEntityState] = [:]

        func state(of key: ViewKey) -> ViewEntityState { states[key] ?? .unknown }

        func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
            let ids = states.compactMap { key, state in key.type == type && state.resource != nil ? key.id : nil }
            return Array(ids.filter { candidate in id.map { $0 < candidate } ?? true }.sorted().prefix(countMax))
        }
    }

    private static func check(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        guard lines.count > 2, let written = ReferenceJSON.accepted(lines[0]),
            let given = ReferenceJSON.accepted(lines[1])?.members
        else { return }
        let text = lines[0].text
        guard text.split(separator: "type", omittingEmptySubsequences: false).count - 1 <= sourceCountMax else {
            return
        }
        let rule: ViewRule
        let binding: ViewBinding
        do throws(ViewRuleError) {
            rule = try ViewRule(json: lines[0])
            binding = try ViewBinding(lines[1], for: rule)
        } catch {
            return try require(
                !error.what.isEmpty && (error.place.isEmpty || error.place.hasPrefix("/")),
                "a rule is refused with \(error)")
        }
        let parameters = Dictionary(given.map { (String(decoding: $0.key.unescaped, as: UTF8.self), $0.value) }) { $1 }
        let entities = Entities()
        var views = ViewSet(types: [:], limits: ViewLimits())
        guard let window = open(rule, binding, &views, entities) else { return }
        var folded = ReferenceJSON.array(
            try (views.result(window)?.rows ?? []).map { try ReferenceJSONParser.parse($0) })
        for unit in units(lines.dropFirst(2)) {
            var changes: [ViewChange] = []
            for (key, state) in unit {
                changes.append(ViewChange(key, from: entities.states[key] ?? .unknown, to: state))
                entities.states[key] = state
            }
            for update in views.apply(changes, entities) where update.window == window {
                let patch = try ReferenceJSONParser.parse(ViewPatchOperation.text(update.patch))
                folded = try NaivePatch.apply(patch, to: folded)
            }
            try compare(folded, views.result(window), written, parameters, entities)
        }
        // A view that begins with the last state has the same rows.
        var again = ViewSet(types: [:], limits: ViewLimits())
        guard let late = open(rule, binding, &again, entities) else { return }
        try requireEqual(
            again.result(late)?.rows.map(\.text), views.result(window)?.rows.map(\.text), "\(written) anew")
    }

    private static func open(
        _ rule: ViewRule, _ binding: ViewBinding, _ views: inout ViewSet, _ entities: Entities
    ) -> ViewWindowID? {
        guard let use = views.hold(rule, binding) else { return nil }
        while !views.fill(use, entities, countMax: 2) {}
        defer { views.release(use) }
        return views.open(use, offset: nil, limit: nil, entities)
    }

    private static func compare(
        _ folded: ReferenceJSON, _ result: ViewResult?, _ rule: ReferenceJSON, _ parameters: [String: ReferenceJSON],
        _ entities: Entities
    ) throws {
        guard let result else { throw FuzzFinding("\(rule) has no result") }
        let rows = NaivePatch.plain(.array(try result.rows.map { try ReferenceJSONParser.parse($0) })).description
        try requireEqual(NaivePatch.plain(folded).description, rows, "what is folded of \(rule)")
        var model = try NaiveView(rule, parameters, entities.states)
        let wanted = model.result()
        try requireEqual(rows, NaivePatch.plain(.array(wanted.rows)).description, "the rows of \(rule)")
        try requireEqual(result.total, wanted.total, "the total of \(rule)")
        try requireEqual(result.missing, wanted.missing, "what \(rule) asked for and is missing")
    }

    /// Returns the changes, by unit. A line that says no change is left out.
    private static func units(_ lines: ArraySlice<[UInt8]>) -> [[(ViewKey, ViewEntityState)]] {
        var units: [[(ViewKey, ViewEntityState)]] = [[]]
        for line in lines.prefix(changeCountMax) {
            guard line.count >= 2 else {
                units.append([])
                continue
            }
            guard RandomEntities.types.contains([line[0]].text), 0x31...0x35 ~= line[1] else { continue }
            let key = ViewKey(
                type: ByteString([line[0]].text), id: ByteString(RandomEntities.ids[Int(line[1]) - 0x31]))
            switch Array(line.dropFirst(2)) {
            case []: units[units.count - 1].append((key, .deleted))
            case [UInt8(ascii: "?")]: units[units.count - 1].append((key, .unknown))
            case let rest:
                // What is stored has no white space.
                guard let body = ReferenceJSON.accepted(Array(rest.drop { $0 == 0x20 })), body.members != nil else {
                    continue
                }
                units[units.count - 1].append((key, .present(body.written)))
            }
        }
        return units.filter { !$0.isEmpty }
    }
}
