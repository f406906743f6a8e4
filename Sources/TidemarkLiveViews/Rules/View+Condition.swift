import Tidemark
import TidemarkModel

extension View {
    /// A condition of a join or an include: two values that have to be equal, or a value that refers to an entity.
    ///
    /// One side belongs to the source that is joined, the other one to an earlier source, or is a parameter. The order
    /// of the sides does not matter.
    public struct Condition: Sendable {
        enum Side {
            /// A value of a source.
            case value(alias: String?, pointer: String)
            /// The entity of a source.
            case entity(alias: String)
            case parameter(Parameter)
        }

        let sides: [Side]
        let mistake: CacheError?

        init(_ left: Side, _ right: Side, mistake: CacheError?) {
            sides = [left, right]
            self.mistake = mistake
        }

        /// Returns the condition as a member of `on`, seen from the source that is joined.
        func member(of alias: String) -> (name: String, value: RulePart) {
            let own = sides.map { $0.alias == alias }
            guard own[0] != own[1] else {
                let what = own[0] ? "compares \(alias) with itself: write it as where" : "names nothing of \(alias)"
                let error = CacheError(.invalidParams, "a condition on which \(alias) is joined \(what)")
                return ("@key", RulePart(RulePart.null.node, mistake: mistake ?? error))
            }
            var value = sides[own[0] ? 1 : 0].right
            value.mistake = mistake
            return (sides[own[0] ? 0 : 1].left, value)
        }

        /// Returns conditions as the object `on`; those with one left side become a list.
        static func object(_ conditions: [Condition], of alias: String) -> RulePart {
            var members: [(name: String, value: [RulePart])] = []
            for condition in conditions {
                let (name, value) = condition.member(of: alias)
                if let index = members.firstIndex(where: { $0.name == name }) {
                    members[index].value.append(value)
                } else {
                    members.append((name, [value]))
                }
            }
            return .object(members.map { ($0.name, $0.value.count == 1 ? $0.value[0] : .array($0.value)) })
        }
    }
}

extension View.Condition.Side {
    fileprivate var alias: String? {
        switch self {
        case .value(let alias, _): alias
        case .entity(let alias): alias
        case .parameter: nil
        }
    }

    /// The side as the name of a member of `on`.
    fileprivate var left: String {
        switch self {
        case .value(_, let pointer): pointer
        case .entity, .parameter: "@key"
        }
    }

    /// The side as the value of a member of `on`.
    fileprivate var right: RulePart {
        switch self {
        case .value(let alias, let pointer): .text((alias ?? "") + pointer)
        case .entity(let alias): .text(alias + "@key")
        case .parameter(let parameter): parameter.part
        }
    }
}

extension View.Field {
    private var side: View.Condition.Side { .value(alias: alias, pointer: pointer) }

    /// Holds if both values are equal and not null.
    public static func == (left: Self, right: Self) -> View.Condition {
        View.Condition(left.side, right.side, mistake: left.mistake ?? right.mistake)
    }

    /// Holds if the value equals the parameter and is not null.
    public static func == (left: Self, right: View.Parameter) -> View.Condition {
        View.Condition(left.side, .parameter(right), mistake: left.mistake)
    }

    /// Holds if the value refers to an entity of the source: it is its id, an object with its id or a reference to it,
    /// or an array of these.
    public func refers<R>(to source: View.Source<R>) -> View.Condition {
        View.Condition(side, .entity(alias: source.alias), mistake: mistake)
    }
}

extension View.Field where Value: Sequence {
    /// Every element of an array, for conditions: one of them has to fulfil the condition.
    public var each: View.Field<Value.Element> {
        View.Field<Value.Element>(
            alias: alias, pointer: pointer + "/*", conventions: conventions, mistake: mistake)
    }
}

extension View.Field where Value == JSONValue {
    /// Every element of the array, if the value is one, for conditions: one of them has to fulfil the condition.
    public var each: View.Field<JSONValue> {
        View.Field(alias: alias, pointer: pointer + "/*", conventions: conventions, mistake: mistake)
    }
}

extension View.Parameter {
    /// Holds if the parameter refers to an entity of the source.
    public func refers<R>(to source: View.Source<R>) -> View.Condition {
        View.Condition(.parameter(self), .entity(alias: source.alias), mistake: nil)
    }
}

extension View.Source {
    /// Holds if both sources have the same entity.
    public func isSame<Other>(as other: View.Source<Other>) -> View.Condition {
        View.Condition(.entity(alias: alias), .entity(alias: other.alias), mistake: nil)
    }
}
