/// The age limits that one read sets for itself, by its own directives; they override the policy.
///
/// - Source: Protocol/policy.md, precedence.
package struct OperationAges: Hashable, Sendable {
    /// The limits in seconds, by type. Bounded by the caller, like `fields`.
    package private(set) var types: [ByteString: Int] = [:]
    /// The limits in seconds, by type, then field.
    package private(set) var fields: [ByteString: [ByteString: Int]] = [:]

    package init() {}

    package var isEmpty: Bool { types.isEmpty && fields.isEmpty }

    /// The least limit, in seconds; nil when there are none.
    package var least: Int? {
        if isEmpty { return nil }
        return (Array(types.values) + fields.values.flatMap(\.values)).min()
    }

    /// - Parameter members: The `max_ages` of a read: `<type>` or `<type>.<field>`, and seconds from 0. A type on the
    ///   wire may contain a dot, so a name with dots applies to the type of that name and to every way to split it into
    ///   type and field.
    package init(_ members: [(name: ByteString, seconds: Int)]) {
        for (name, seconds) in members {
            types[name] = seconds
            for index in name.bytes.indices where name.bytes[index] == UInt8(ascii: ".") {
                set(
                    seconds, field: ByteString(name.bytes[(index + 1)...]), of: ByteString(name.bytes[..<index]))
            }
        }
    }

    /// - Parameter members: The same as for the other initializer, as a dictionary.
    package init(_ members: [ByteString: Int]) {
        self.init(members.isEmpty ? [] : members.map { ($0.key, $0.value) })
    }

    /// Sets the limit of every object of a type.
    package mutating func set(_ seconds: Int, type: ByteString) { types[type] = seconds }

    /// Sets the limit of one field, and of everything that is reached through it.
    package mutating func set(_ seconds: Int, field: ByteString, of type: ByteString) {
        fields[type, default: [:]][field] = seconds
    }

    /// - Returns: nil when the read sets no limit for the type.
    package func seconds(type: ByteString) -> Int? { types[type] }

    /// - Returns: nil when the read sets no limit for the field.
    package func seconds(field: ByteString, of type: ByteString) -> Int? { fields[type]?[field] }
}
