import TidemarkJSON

extension ScopePath {
    /// The only member of a tagged path, such as `{"Physical":{…}}`.
    struct Tag {
        /// The name between its quotes, as written.
        var name: UnsafeRawBufferPointer
        var fields = Fields()
    }

    /// The fields inside a tag, without escapes; nil if absent or not a string.
    struct Fields {
        var path: [UInt8]?
        var slug: [UInt8]?
        var service: [UInt8]?
        var identifier: [UInt8]?
    }

    /// Returns the tag of a tagged path; nil unless the value is an object with one member, which is itself an object.
    static func tag(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Tag? {
        var cursor = JSONCursor(bytes, at: value.lowerBound)
        guard cursor.byte == UInt8(ascii: "{") else { return nil }
        cursor.step()
        guard cursor.byte != UInt8(ascii: "}") else { return nil }
        var tag = Tag(name: UnsafeRawBufferPointer(rebasing: bytes[cursor.string()]))
        cursor.step()
        var inner = cursor.value()
        while cursor.byte == UInt8(ascii: ",") {
            cursor.step()
            // Repeated members with the same name count as one: the last.
            guard JSONText.areEqual(tag.name, UnsafeRawBufferPointer(rebasing: bytes[cursor.string()])) else {
                return nil
            }
            cursor.step()
            inner = cursor.value()
        }
        guard bytes[inner.lowerBound] == UInt8(ascii: "{") else { return nil }
        tag.fields = fields(inner, of: bytes)
        return tag
    }

    /// Returns the text of a string without escapes; nil for other values.
    static func text(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast()))
    }

    private static func fields(_ object: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Fields {
        var fields = Fields()
        var cursor = JSONCursor(bytes, at: object.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "}") {
            let name = UnsafeRawBufferPointer(rebasing: bytes[cursor.string()])
            cursor.step()
            let value = cursor.value()
            if JSONText.isSpelling(name, of: "path") {
                fields.path = text(value, of: bytes)
            } else if JSONText.isSpelling(name, of: "device_slug") {
                fields.slug = text(value, of: bytes)
            } else if JSONText.isSpelling(name, of: "service") {
                fields.service = text(value, of: bytes)
            } else if JSONText.isSpelling(name, of: "identifier") {
                fields.identifier = text(value, of: bytes)
            }
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
        return fields
    }
}
