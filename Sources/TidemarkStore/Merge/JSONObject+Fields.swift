import TidemarkModel

/// Top-level fields of a resource: one object, validated, without insignificant white space.
extension JSONObject {
    /// The unescaped names of an object's members, in order, each once.
    package static func fieldNames(of resource: UnsafeRawBufferPointer) -> [ByteString] {
        let object = JSONObject(resource, range: 0..<resource.count)
        return object.members.map { ByteString(object.unescapedName($0)) }
    }

    /// Whether an object has all of these members.
    ///
    /// - Parameter fields: Unescaped names.
    package static func has(_ resource: UnsafeRawBufferPointer, _ fields: Set<[UInt8]>) -> Bool {
        let object = JSONObject(resource, range: 0..<resource.count)
        return fields.isSubset(of: object.members.map { object.unescapedName($0) })
    }

    /// An object of the members that are named, in their order, names and values byte for byte. Of members that come twice the last
    /// counts, at the first one's place.
    package static func selection(of resource: UnsafeRawBufferPointer, fields: Set<[UInt8]>) -> [UInt8] {
        let object = JSONObject(resource, range: 0..<resource.count)
        var result: [UInt8] = [UInt8(ascii: "{")]
        for member in object.members where fields.contains(object.unescapedName(member)) {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            // The value of a member that comes twice stands behind its last name, with others between.
            result.append(contentsOf: resource[member.name.lowerBound - 1..<member.name.upperBound + 1])
            result.append(UInt8(ascii: ":"))
            result.append(contentsOf: resource[member.value])
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// The unescaped names of members that one object has otherwise than the other, or not at all; sorted by bytes.
    package static func changedFields(
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
