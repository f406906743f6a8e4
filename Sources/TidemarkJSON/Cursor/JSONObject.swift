/// Where the members of one object are inside validated bytes. Only escaped names are copied.
package struct JSONObject {
    package struct Member {
        /// The range of the name between its quotes, as written.
        package var name: Range<Int>
        package var value: Range<Int>

        @inlinable package init(name: Range<Int>, value: Range<Int>) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The buffer that contains the object.
    package let bytes: UnsafeRawBufferPointer
    /// The members in order. If a name is repeated, only its last value is here, at the place of the first.
    package var members: [Member] = []
    /// The index of each member by unescaped name; only present once a table is faster than a linear search.
    @usableFromInline var positions: [[UInt8]: Int]?

    /// Locates the members of an object.
    ///
    /// - Parameters:
    ///   - bytes: Validated JSON without insignificant white space.
    ///   - range: The range of the object, braces included.
    /// - Complexity: O(range.count).
    @inlinable package init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) {
        self.bytes = bytes
        var cursor = JSONCursor(bytes, at: range.lowerBound)
        // No input reaches it: resources were checked to be objects, and so were inner ranges.
        precondition(cursor.byte == UInt8(ascii: "{"), "no object at byte \(range.lowerBound) of a stored value")
        cursor.step()
        while cursor.byte != UInt8(ascii: "}") {
            let name = cursor.string()
            cursor.step()
            let value = cursor.value()
            append(Member(name: name, value: value))
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
    }

    /// How many members there must be before a table pays off.
    @usableFromInline static let tableMemberCountMin = 16

    @inlinable mutating func append(_ member: Member) {
        if positions == nil, members.count == JSONObject.tableMemberCountMin {
            var table: [[UInt8]: Int] = [:]
            for (index, member) in members.enumerated() { table[unescapedName(member)] = index }
            positions = table
        }
        if let index = position(named: UnsafeRawBufferPointer(rebasing: bytes[member.name])) {
            members[index].value = member.value
            return
        }
        let name = unescapedName(member)
        positions?[name] = members.count
        members.append(member)
    }

    /// Returns the index of a member by its name, however that is spelled; nil if there is none.
    ///
    /// - Parameter name: The name between its quotes, as written in these or other bytes.
    @inlinable package func position(named name: UnsafeRawBufferPointer) -> Int? {
        if let positions { return positions[JSONText.unescaped(name)] }
        return members.firstIndex { member in
            JSONText.areEqual(UnsafeRawBufferPointer(rebasing: bytes[member.name]), name)
        }
    }

    /// Returns the range of a member's value; nil if there is no such member.
    ///
    /// - Parameter name: The unescaped name.
    @inlinable package func value(named name: StaticString) -> Range<Int>? {
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return position(named: wanted).map { members[$0].value }
    }

    @inlinable package func unescapedName(_ member: Member) -> [UInt8] {
        JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[member.name]))
    }
}
