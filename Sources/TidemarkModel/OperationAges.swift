/// The ages that one read asks for, whatever the policy says: its own directives.
///
/// - Source: Protocol/policy.md, precedence.
package struct OperationAges: Hashable, Sendable {
    /// Seconds by type. Bound: the caller's, as for `fields`.
    package private(set) var types: [ByteString: Int] = [:]
    /// Seconds by type, then field.
    package private(set) var fields: [ByteString: [ByteString: Int]] = [:]

    package init() {}

    package var isEmpty: Bool { types.isEmpty && fields.isEmpty }

    /// The least of them; nil when there are none.
    package var least: Int? {
        if isEmpty { return nil }
        return (Array(types.values) + fields.values.flatMap(\.values)).min()
    }

    /// - Parameter members: `max_ages` of a read: `<type>` or `<type>.<field>`, and seconds from 0. A type on the wire may
    ///   hold a dot itself, so a name with dots speaks of the type of that name and of every way to part it in two.
    package init(_ members: [(name: ByteString, seconds: Int)]) {
        for (name, seconds) in members {
            types[name] = seconds
            for index in name.bytes.indices where name.bytes[index] == UInt8(ascii: ".") {
                set(
                    seconds, field: ByteString(name.bytes[(index + 1)...]), of: ByteString(name.bytes[..<index]))
            }
        }
    }

    /// - Parameter members: As for the other one.
    package init(_ members: [ByteString: Int]) {
        self.init(members.isEmpty ? [] : members.map { ($0.key, $0.value) })
    }

    /// For every object of a type.
    package mutating func set(_ seconds: Int, type: ByteString) { types[type] = seconds }

    /// For one field, and for what is reached through it.
    package mutating func set(_ seconds: Int, field: ByteString, of type: ByteString) {
        fields[type, default: [:]][field] = seconds
    }

    /// - Returns: nil when the read says nothing of it.
    package func seconds(type: ByteString) -> Int? { types[type] }

    /// - Returns: nil when the read says nothing of it.
    package func seconds(field: ByteString, of type: ByteString) -> Int? { fields[type]?[field] }
}
