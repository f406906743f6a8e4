import TidemarkModel

/// Reads the top-level fields of a resource: one validated object without insignificant white space.
extension JSONObject {
    /// Returns the unescaped names of an object's members in order, each once.
    @inlinable package static func fieldNames(of resource: UnsafeRawBufferPointer) -> [ByteString] {
        let object = JSONObject(resource, range: 0..<resource.count)
        return object.members.map { ByteString(object.unescapedName($0)) }
    }

    /// Returns true if an object has all of the given members.
    ///
    /// - Parameter fields: The unescaped names.
    @inlinable package static func has(_ resource: UnsafeRawBufferPointer, _ fields: Set<[UInt8]>) -> Bool {
        let object = JSONObject(resource, range: 0..<resource.count)
        return fields.isSubset(of: object.members.map { object.unescapedName($0) })
    }

    /// Returns an object with only the named members in their order, byte for byte. If a name is repeated, the last
    /// value is kept at the place of the first.
    @inlinable package static func selection(of resource: UnsafeRawBufferPointer, fields: Set<[UInt8]>) -> [UInt8] {
        let object = JSONObject(resource, range: 0..<resource.count)
        var result: [UInt8] = [UInt8(ascii: "{")]
        for member in object.members where fields.contains(object.unescapedName(member)) {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            // The value of a repeated name follows its last occurrence, with other members between.
            result.append(contentsOf: resource[member.name.lowerBound - 1..<member.name.upperBound + 1])
            result.append(UInt8(ascii: ":"))
            result.append(contentsOf: resource[member.value])
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// Returns the unescaped names of members that differ between two objects or that only one of them has, sorted by
    /// bytes.
    @inlinable package static func changedFields(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> [ByteString] {
        let old = JSONObject(left, range: 0..<left.count)
        let new = JSONObject(right, range: 0..<right.count)
        var changed: [ByteString] = []
        for member in old.members {
            let name = UnsafeRawBufferPointer(rebasing: left[member.name])
            if let index = new.position(named: name),
                JSONText.haveEqualBytes(
                    UnsafeRawBufferPointer(rebasing: left[member.value]),
                    UnsafeRawBufferPointer(rebasing: right[new.members[index].value]))
            {
                continue
            }
            changed.append(ByteString(old.unescapedName(member)))
        }
        for member in new.members
        where old.position(named: UnsafeRawBufferPointer(rebasing: right[member.name])) == nil {
            changed.append(ByteString(new.unescapedName(member)))
        }
        return changed.sorted()
    }
}
