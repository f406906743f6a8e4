import TidemarkModel
import TidemarkTesting
import TidemarkViews

extension SeededGenerator {
    package mutating func percent(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func one<Element>(_ elements: [Element]) -> Element { elements[count(0...elements.count - 1)] }
}

/// Draws entities of a few types with few values, so that joins match, groups meet and references dangle.
package struct RandomEntities {
    package static let types = ["t", "u", "v"]
    package static let fields = ["a", "b", "c", "r", "s", "l", "m"]
    private static let scalars = [
        "1", "1", "1.0", "2", "10", "1e1", "-0", "0", "3.25", #""x""#, #""x""#, #""y""#, #""\u0079""#, #""1""#, "null",
        "true", #""é""#, "18446744073709551616",
    ]
    private static let uuid = "0f0c3a51-8e0b-4d5c-9c55-0a6b7f1d2e3a"

    /// Every id that is drawn.
    package static let ids = ["1", "2", "3", "4", uuid]

    package static func id(_ random: inout SeededGenerator) -> String { random.one(ids) }

    static func scalar(_ random: inout SeededGenerator) -> String { random.one(scalars) }

    static func reference(_ random: inout SeededGenerator) -> String {
        let id = id(&random)
        switch random.count(0...9) {
        case 0...2: return "\"\(id)\""
        case 3, 4: return id == uuid ? "\"\(id.uppercased())\"" : id
        case 5: return #"{"id":"\#(id)"}"#
        case 6: return #"{"id":null,"uuid":"\#(id)"}"#
        case 7: return #"{"__ref":"\#(random.one(types)):\#(id)","id":"1"}"#
        case 8: return scalar(&random)
        default: return #"["\#(id)",\#(scalar(&random)),["2"]]"#
        }
    }

    private static func list(_ random: inout SeededGenerator) -> String {
        if random.percent(15) { return scalar(&random) }
        let elements = (0..<random.count(0...3)).map { _ in random.percent(50) ? scalar(&random) : reference(&random) }
        return "[\(elements.joined(separator: ","))]"
    }

    /// The value of a field by its name.
    package static func value(_ field: String, _ random: inout SeededGenerator) -> String {
        switch field {
        case "r", "s": reference(&random)
        case "l", "m": list(&random)
        default: random.percent(8) ? #"{"x":\#(scalar(&random)),"y":[\#(scalar(&random))]}"# : scalar(&random)
        }
    }

    package static func resource(_ id: String, _ random: inout SeededGenerator) -> String {
        var members = [#""id":"\#(id)""#]
        for field in fields where random.percent(85) { members.append("\"\(field)\":\(value(field, &random))") }
        if random.percent(3) { members.append(#""a":\#(scalar(&random))"#) }
        return "{\(members.joined(separator: ","))}"
    }

    /// Draws a unit of changes over some states.
    package static func changes(
        _ states: [ViewKey: ViewEntityState], _ random: inout SeededGenerator
    ) -> [(ViewKey, ViewEntityState)] {
        var changes: [(ViewKey, ViewEntityState)] = []
        for _ in 0..<(random.percent(60) ? 1 : random.count(2...5)) {
            let id = id(&random)
            let key = ViewKey(type: ByteString(random.one(types)), id: ByteString(id))
            let known = changes.last { $0.0 == key }?.1 ?? states[key] ?? .unknown
            switch random.count(0...9) {
            case 0: changes.append((key, .deleted))
            case 1 where random.percent(50): changes.append((key, .unknown))
            case 2...5 where known.resource != nil: changes.append((key, edited(known, &random)))
            default: changes.append((key, .present(Array(resource(id, &random).utf8))))
            }
        }
        return changes
    }

    /// Changes one field of a resource.
    private static func edited(_ state: ViewEntityState, _ random: inout SeededGenerator) -> ViewEntityState {
        let field = random.one(fields)
        let text = String(decoding: state.resource ?? [], as: UTF8.self)
        return .present(Array("\(text.dropLast()),\"\(field)\":\(value(field, &random))}".utf8))
    }
}
