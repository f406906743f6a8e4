import TidemarkJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension String: SelectionValue {
    /// Reads a string; a number is read as its text, because an `ID` may be one.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.string() }

    /// The string as JSON.
    public var jsonValue: JSONValue { .string(self) }
}

extension Int: SelectionValue {
    /// Reads an integer. `1.0` and `1e2` are integers, too.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.integer() }

    /// The integer as JSON.
    public var jsonValue: JSONValue { .number(JSONNumber(self)) }
}

extension Double: SelectionValue {
    /// Reads a number.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.double() }

    /// The number as JSON; null for infinities and NaN, which JSON cannot express.
    public var jsonValue: JSONValue { JSONNumber(self).map(JSONValue.number) ?? .null }
}

extension Bool: SelectionValue {
    /// Reads `true` or `false`.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.boolean() }

    /// The value as JSON.
    public var jsonValue: JSONValue { .bool(self) }
}

extension Optional: InputConvertible where Wrapped: InputConvertible {
    /// The value as JSON; null for nil.
    public var jsonValue: JSONValue {
        switch self {
        case .some(let value): value.jsonValue
        case .none: .null
        }
    }
}

extension Optional: SelectionValue where Wrapped: SelectionValue {
    /// Reads a value; nil for null.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        self = try value.null() ? nil : try Wrapped(reading: &value)
    }
}

extension Array: InputConvertible where Element: InputConvertible {
    /// The elements as a JSON array.
    public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

extension Array: SelectionValue where Element: SelectionValue {
    /// Reads a list.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        var elements: [Element] = []
        var isOpen = try value.openList()
        while isOpen {
            elements.append(try Element(reading: &value))
            isOpen = try value.nextElement()
        }
        self = elements
    }
}

/// The type of custom scalars for which no Swift type was chosen.
extension JSONValue: SelectionValue {
    /// Reads any JSON value.
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        let text = try value.text()
        do throws(JSONSyntaxError) {
            self = try JSONValue(parsing: text)
        } catch {
            throw start.malformed("a JSON value")
        }
    }

    /// The value itself.
    public var jsonValue: JSONValue { self }
}

extension URL: SelectionValue {
    /// Reads a string as a URL; throws `wrongKind` if it is not one.
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        guard let url = URL(string: try value.string()) else {
            throw start.wrongKind("URL")
        }
        self = url
    }

    /// The URL as a string.
    public var jsonValue: JSONValue { .string(absoluteString) }
}

extension UUID: SelectionValue {
    /// Reads a string as a UUID; throws `wrongKind` if it is not one.
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        guard let uuid = UUID(uuidString: try value.string()) else {
            throw start.wrongKind("UUID")
        }
        self = uuid
    }

    /// The UUID as a string in lowercase, as in keys.
    public var jsonValue: JSONValue { .string(uuidString.lowercased()) }
}

/// A date as a string of RFC 3339, such as `2026-03-01T12:00:00Z`, with a fraction of a second only if there is one.
extension Date: SelectionValue {
    /// Reads a string as a date; throws `wrongKind` if it is not one.
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        let text = try value.string()
        do {
            self = try Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: "."))).parse(
                text)
        } catch {
            throw start.wrongKind("date as 2026-03-01T12:00:00Z")
        }
    }

    /// The date as a string of RFC 3339 in UTC.
    public var jsonValue: JSONValue {
        let hasFraction = timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 1) != 0
        return .string(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).format(self))
    }
}
