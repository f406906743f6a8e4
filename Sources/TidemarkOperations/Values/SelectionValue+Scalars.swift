import Tidemark

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension String: SelectionValue {
    /// A string, or the text of a number: an `ID` may be one.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.string() }

    public var jsonValue: JSONValue { .string(self) }
}

extension Int: SelectionValue {
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.integer() }

    public var jsonValue: JSONValue { .number(JSONNumber(self)) }
}

extension Double: SelectionValue {
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.double() }

    /// Null for infinities and NaN, which JSON has no text for.
    public var jsonValue: JSONValue { JSONNumber(self).map(JSONValue.number) ?? .null }
}

extension Bool: SelectionValue {
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) { self = try value.boolean() }

    public var jsonValue: JSONValue { .bool(self) }
}

extension Optional: InputConvertible where Wrapped: InputConvertible {
    public var jsonValue: JSONValue {
        switch self {
        case .some(let value): value.jsonValue
        case .none: .null
        }
    }
}

extension Optional: SelectionValue where Wrapped: SelectionValue {
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        self = try value.null() ? nil : try Wrapped(reading: &value)
    }
}

extension Array: InputConvertible where Element: InputConvertible {
    public var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

extension Array: SelectionValue where Element: SelectionValue {
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

/// A scalar that no Swift type was chosen for.
extension JSONValue: SelectionValue {
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        let text = try value.text()
        do throws(JSONSyntaxError) {
            self = try JSONValue(parsing: text)
        } catch {
            throw start.malformed("a JSON value")
        }
    }

    public var jsonValue: JSONValue { self }
}

extension URL: SelectionValue {
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        guard let url = URL(string: try value.string()) else {
            throw start.wrongKind("URL")
        }
        self = url
    }

    public var jsonValue: JSONValue { .string(absoluteString) }
}

extension UUID: SelectionValue {
    public init(reading value: inout ValueReader) throws(SelectionError) {
        let start = value
        guard let uuid = UUID(uuidString: try value.string()) else {
            throw start.wrongKind("UUID")
        }
        self = uuid
    }

    /// Small letters, as in keys.
    public var jsonValue: JSONValue { .string(uuidString.lowercased()) }
}

/// A moment as RFC 3339 writes it: `2026-03-01T12:00:00Z`, with a fraction of a second where there is one.
extension Date: SelectionValue {
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

    public var jsonValue: JSONValue {
        let hasFraction = timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 1) != 0
        return .string(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).format(self))
    }
}
