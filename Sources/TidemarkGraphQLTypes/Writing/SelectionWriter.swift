import TidemarkJSON

/// Collects the members of one object of data: its own fields, and those of its views and fragments.
public struct SelectionWriter {
    /// The members in the order of CollectFields. Bounded by the fields of the selection.
    private var members: [JSONMember] = []

    /// Creates an empty object.
    public init() {}

    /// The members so far, as a JSON object.
    public var value: JSONValue { .object(members) }

    /// Adds a field.
    public mutating func write(_ name: String, _ value: some InputConvertible) {
        members.append(JSONMember(name, value.jsonValue))
    }

    /// Adds a field that a variable may exclude; nil leaves it out.
    public mutating func writeConditional(_ name: String, _ value: (some InputConvertible)?) {
        if let value { write(name, value) }
    }

    /// Adds the fields of a view of the same object. If both have a field, the view's value is taken.
    public mutating func write(view: (some SelectionSet)?) {
        if let view { members = SelectionWriter.merged(members, with: view.jsonValue, isOverriding: true) }
    }

    /// Adds those fields of a fragment that have not been written yet.
    public mutating func write(fragment: (some SelectionSet)?) {
        if let fragment { members = SelectionWriter.merged(members, with: fragment.jsonValue, isOverriding: false) }
    }

    private static func merged(_ members: [JSONMember], with other: JSONValue, isOverriding: Bool) -> [JSONMember] {
        var members = members
        for member in other.members ?? [] {
            if let index = members.firstIndex(where: { $0.name == member.name }) {
                members[index].value = merged(members[index].value, with: member.value, isOverriding: isOverriding)
            } else {
                members.append(member)
            }
        }
        return members
    }

    private static func merged(_ value: JSONValue, with other: JSONValue, isOverriding: Bool) -> JSONValue {
        switch (value, other) {
        case (.object(let members), .object): .object(merged(members, with: other, isOverriding: isOverriding))
        case (.array(let left), .array(let right)) where left.count == right.count:
            .array(zip(left, right).map { merged($0, with: $1, isOverriding: isOverriding) })
        default: isOverriding ? other : value
        }
    }
}
