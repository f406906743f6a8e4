/// The age limits that a read sets for itself, which override the policy.
///
/// - Source: Protocol/policy.md, precedence.
package struct OperationAges: Hashable, Sendable {
    /// The limits by type, in seconds. Bounded by the caller.
    package private(set) var types: [ByteString: Int] = [:]
    /// The limits by type, then field, in seconds. Bounded by the caller.
    package private(set) var fields: [ByteString: [ByteString: Int]] = [:]

    package init() {}

    /// True if the read sets no limit.
    package var isEmpty: Bool { types.isEmpty && fields.isEmpty }

    /// The least limit, in seconds; nil when there is none.
    package var least: Int? {
        if isEmpty { return nil }
        return (Array(types.values) + fields.values.flatMap(\.values)).min()
    }

    /// Reads the `max_ages` of a read.
    ///
    /// - Parameter members: Names, `<type>` or `<type>.<field>`, with seconds from 0. A type may contain a dot, so a
    ///   name with dots applies to the type of that name and to every way to split it into type and field.
    package init(_ members: [(name: ByteString, seconds: Int)]) {
        for (name, seconds) in members {
            types[name] = seconds
            for index in name.bytes.indices where name.bytes[index] == UInt8(ascii: ".") {
                set(
                    seconds, field: ByteString(name.bytes[(index + 1)...]), of: ByteString(name.bytes[..<index]))
            }
        }
    }

    /// Reads the `max_ages` of a read.
    ///
    /// - Parameter members: Seconds by name, as for the other initializer.
    package init(_ members: [ByteString: Int]) {
        self.init(members.isEmpty ? [] : members.map { ($0.key, $0.value) })
    }

    /// Sets the limit of every object of a type.
    package mutating func set(_ seconds: Int, type: ByteString) { types[type] = seconds }

    /// Sets the limit of one field and of everything reached through it.
    package mutating func set(_ seconds: Int, field: ByteString, of type: ByteString) {
        fields[type, default: [:]][field] = seconds
    }

    /// Returns the limit of a type, in seconds; nil when the read sets none.
    package func seconds(type: ByteString) -> Int? { types[type] }

    /// Returns the limit of a field, in seconds; nil when the read sets none.
    package func seconds(field: ByteString, of type: ByteString) -> Int? { fields[type]?[field] }
}
