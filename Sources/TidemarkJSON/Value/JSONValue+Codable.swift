extension JSONValue: Codable {
    /// Decodes any JSON value.
    ///
    /// Inside a `Resource` that a cache reads, the value is exact. Other decoders have already converted the numbers:
    /// one without a fraction and an exponent is exact up to 64 bits, and any other is the nearest `Double`.
    ///
    /// - Throws: The errors of the decoder.
    public init(from decoder: any Decoder) throws {
        if let place = decoder as? ResourceDecoder {
            self = try place.value(JSONValue.self)
            return
        }
        // A decoder that wraps ours passes on the `userInfo` of ours.
        if let source = decoder.userInfo[JSONSource.key] as? JSONSource,
            let exact = source.value[pointer: JSONPointer(decoder.codingPath, in: source.value)]
        {
            self = exact
            return
        }
        if let container = JSONValue.ifPossible({ try decoder.container(keyedBy: JSONName.self) }) {
            self = .object(
                try container.allKeys.map {
                    JSONMember($0.stringValue, try container.decode(JSONValue.self, forKey: $0))
                })
        } else if var container = JSONValue.ifPossible({ try decoder.unkeyedContainer() }) {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            try self.init(single: try decoder.singleValueContainer())
        }
    }

    private init(single container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let flag = JSONValue.ifPossible({ try container.decode(Bool.self) }) {
            self = .bool(flag)
        } else if let integer = JSONValue.ifPossible({ try container.decode(Int64.self) }) {
            self = .number(JSONNumber(integer))
        } else if let integer = JSONValue.ifPossible({ try container.decode(UInt64.self) }) {
            self = .number(JSONNumber(integer))
        } else if let number = JSONValue.ifPossible({ try container.decode(Double.self) }).flatMap(JSONNumber.init) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Returns nil when `body` throws: a decoder reveals the kind of its value only by throwing when another kind is
    /// requested.
    private static func ifPossible<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch { return nil }
    }

    /// Encodes the value. Inside a `Resource` that a cache stores it is exact; other encoders write numbers in their
    /// own form.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if let sink = encoder.userInfo[JSONSink.key] as? JSONSink {
            var container = encoder.singleValueContainer()
            try container.encode(sink.add(self))
            return
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag): try flag.encode(to: encoder)
        case .number(let number):
            if let integer = number.int64 {
                try integer.encode(to: encoder)
            } else if let integer = number.uint64 {
                try integer.encode(to: encoder)
            } else {
                try number.double.encode(to: encoder)
            }
        case .string(let string): try string.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: JSONName.self)
            for member in members { try container.encode(member.value, forKey: JSONName(member.name)) }
        }
    }
}

/// A member's name as a coding key.
package struct JSONName: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(_ name: String) {
        stringValue = name
    }

    package init?(stringValue: String) {
        self.init(stringValue)
    }

    package init?(intValue: Int) { nil }
}
