#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ResourceDecoder {
    /// Decodes the value at this decoder's position.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value(type, at: index, path: codingPath, decoder: self)
    }

    /// Decodes a value at this decoder's position or inside it, without making a decoder when the type needs none.
    ///
    /// Inlined, so that only one test of the chain is left where the compiler knows the type; elsewhere each test
    /// compares two pointers. No test is for an optional type, so that the optional's metadata need not be requested
    /// from the runtime each time.
    ///
    /// - Parameters:
    ///   - path: The coding path of the value.
    ///   - decoder: The decoder of the value.
    @inline(__always)
    func value<Value: Decodable>(
        _ type: Value.Type, at index: Int, path: @autoclosure () -> [any CodingKey],
        decoder: @autoclosure () -> ResourceDecoder
    ) throws -> Value {
        do throws(ValueDecodingError) {
            if type == String.self { return itself(try outline.string(index)) }
            if type == Int.self { return itself(try outline.integer(index, as: Int.self)) }
            if type == Bool.self { return itself(try outline.bool(index)) }
            if type == Double.self { return itself(try outline.double(index)) }
            if type == Date.self, !outline.hasCustomDates { return itself(try outline.date(index)) }
            if type == UUID.self, let uuid = outline.uuid(index) { return itself(uuid) }
            if type == JSONValue.self { return itself(try outline.jsonValue(index)) }
            if type == Int64.self { return itself(try outline.integer(index, as: Int64.self)) }
            if type == UInt64.self { return itself(try outline.integer(index, as: UInt64.self)) }
            if type == UInt.self { return itself(try outline.integer(index, as: UInt.self)) }
            if type == Int32.self { return itself(try outline.integer(index, as: Int32.self)) }
            if type == UInt32.self { return itself(try outline.integer(index, as: UInt32.self)) }
            if type == Int16.self { return itself(try outline.integer(index, as: Int16.self)) }
            if type == UInt16.self { return itself(try outline.integer(index, as: UInt16.self)) }
            if type == Int8.self { return itself(try outline.integer(index, as: Int8.self)) }
            if type == UInt8.self { return itself(try outline.integer(index, as: UInt8.self)) }
            if type == Int128.self { return itself(try outline.integer(index, as: Int128.self)) }
            if type == UInt128.self { return itself(try outline.integer(index, as: UInt128.self)) }
            if type == Float.self { return itself(try outline.float(index)) }
            if type == URL.self { return itself(try outline.url(index)) }
            if type == Data.self { return itself(try outline.data(index)) }
            if type == Decimal.self { return itself(try outline.decimal(index)) }
        } catch {
            throw self.error(error, at: path())
        }
        if type == [String].self { return itself(try strings(at: index, path: path())) }
        if type == Date.self { return itself(try customDate(at: index, path: path(), decoder: decoder())) }
        if outline.hasSnakeCaseNames, type is any StringKeyedDictionary.Type {
            return try Value(from: decoder().keepingNames)
        }
        return try Value(from: decoder())
    }

    private func customDate(
        at index: Int, path: @autoclosure () -> [any CodingKey], decoder: @autoclosure () -> ResourceDecoder
    ) throws -> Date {
        guard case .custom(let decode, _) = outline.conventions.dates else {
            preconditionFailure("a date of the conventions \(outline.conventions) was left to nobody")
        }
        if outline.kind(index) == .null { throw error(.null(Date.self), at: path()) }
        return try decode(decoder())
    }

    /// Reads an array of strings as the standard library does, without a test of the type for each element.
    private func strings(at index: Int, path: @autoclosure () -> [any CodingKey]) throws -> [String] {
        let array = outline[index]
        guard array.kind == .array else {
            throw error(array.kind == .null ? .null([Any].self) : .mismatch([Any].self), at: path())
        }
        var strings: [String] = []
        strings.reserveCapacity(Int(array.count))
        var element = index + 1
        do throws(ValueDecodingError) {
            while element < array.next {
                strings.append(try outline.string(element))
                element = Int(outline[element].next)
            }
        } catch {
            throw self.error(error, at: path() + [JSONIndexKey(strings.count)])
        }
        return strings
    }

    /// Returns the value as the same type under its other name; a dynamic cast would cost as much as reading the value.
    @inline(__always)
    private func itself<Value, Same>(_ value: Value) -> Same {
        precondition(Value.self == Same.self, "\(Value.self) is not \(Same.self)")
        return unsafeBitCast(value, to: Same.self)
    }
}

/// A dictionary whose keys are data, not names of fields.
private protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}
