/// The members of one object inside validated bytes, as ranges; only escaped names are copied.
package struct JSONObject {
    struct Member {
        /// The range of the name between its quotes, as written.
        var name: Range<Int>
        var value: Range<Int>
    }

    let bytes: UnsafeRawBufferPointer
    /// The members in order; of members with the same name only the last value, at the first one's place.
    private(set) var members: [Member] = []
    /// The indexes of members by name; present when there are enough members for a search to cost more than a table.
    private var positions: [[UInt8]: Int]?

    /// Locates the members of an object.
    ///
    /// - Parameter range: The range of the object, braces included.
    /// - Complexity: O(range.count).
    init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) {
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

    /// The number of members from which a table pays.
    private static let tableMemberCountMin = 16

    private mutating func append(_ member: Member) {
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

    /// Returns the index of a member by its name, in any spelling.
    ///
    /// - Parameter name: The name between its quotes, as written in these or other bytes.
    func position(named name: UnsafeRawBufferPointer) -> Int? {
        if let positions { return positions[JSONText.unescaped(name)] }
        return members.firstIndex { member in
            JSONText.areEqual(UnsafeRawBufferPointer(rebasing: bytes[member.name]), name)
        }
    }

    /// Returns the value of a member.
    ///
    /// - Parameter name: The unescaped name.
    func value(named name: StaticString) -> Range<Int>? {
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return position(named: wanted).map { members[$0].value }
    }

    func unescapedName(_ member: Member) -> [UInt8] {
        JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[member.name]))
    }
}
