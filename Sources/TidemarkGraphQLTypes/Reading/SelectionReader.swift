/// Reads the members of one object in the order in which a document selects them.
///
/// Servers and the cache write objects in that order, so each member is usually the next one. Any other member is
/// searched for; after a few searches the reader builds an index of the object.
public struct SelectionReader {
    @usableFromInline var reader: ValueReader
    /// The offset of the first byte after the opening brace.
    @usableFromInline var start: Int
    /// The number of members that were searched for one by one.
    private var searchCount = 0
    /// The offsets of values by name; nil until it is needed. Bounded by the members of the object.
    private var index: [[UInt8]: Int]?

    private static let searchCountMax = 8

    /// Creates a reader of the object at the position of a value reader.
    @inlinable
    init(opening value: ValueReader) throws(SelectionError) {
        var inside = value
        guard inside.consume(UInt8(ascii: "{")) else { throw value.wrongKind("object") }
        inside.skipSpace()
        self.init(inside)
    }

    @usableFromInline
    init(_ reader: ValueReader) {
        self.reader = reader
        start = reader.offset
    }

    /// Returns a value reader positioned after the object.
    @inlinable
    consuming func closed() throws(SelectionError) -> ValueReader {
        if reader.current != UInt8(ascii: "}") { try skipRest() }
        reader.offset += 1
        return reader
    }

    // MARK: Fields

    /// Reads a field.
    ///
    /// - Throws: ``SelectionError`` `missingField` if the object lacks the field, `wrongKind` or `malformed` for its
    ///   value.
    @inlinable
    public mutating func value<Value: SelectionValue>(_ name: StaticString) throws(SelectionError) -> Value {
        guard try seek(name) else { throw missing(name) }
        let value = try Value(reading: &reader)
        try nextMember()
        return value
    }

    /// Reads a field that a variable may exclude.
    ///
    /// - Returns: nil if the object lacks the field, or the value is null.
    @inlinable
    public mutating func conditional<Value: SelectionValue>(_ name: StaticString) throws(SelectionError) -> Value? {
        guard try seek(name) else { return nil }
        let value = try Value?(reading: &reader)
        try nextMember()
        return value
    }

    // MARK: Parts of the same object

    /// Reads the object once more as a view for some of its types.
    ///
    /// - Returns: nil if the object's type is not among those of the view.
    @inlinable
    public func view<View: SelectionSet>(of typename: String) throws(SelectionError) -> View? {
        guard View.typenames.contains(typename) else { return nil }
        var object = SelectionReader(rewinding: self)
        return try View(reading: &object)
    }

    /// Reads a fragment that a variable may exclude.
    ///
    /// - Parameter isPossible: True if the fragment's type condition holds.
    /// - Returns: nil if the type condition does not hold, or a field of the fragment is missing.
    public func fragment<Fragment: SelectionSet>(isPossible: Bool = true) throws(SelectionError) -> Fragment? {
        guard isPossible else { return nil }
        var object = SelectionReader(rewinding: self)
        do throws(SelectionError) {
            return try Fragment(reading: &object)
        } catch {
            guard error.reason == .missingField else { throw error }
            return nil
        }
    }

    /// Reads a deferred fragment.
    ///
    /// - Parameters:
    ///   - label: The label of the `@defer` directive; nil if it has none.
    ///   - isPossible: True if the fragment's type condition holds.
    public func deferred<Fragment: SelectionSet>(
        label: String?, isPossible: Bool = true
    ) throws(SelectionError) -> Deferred<Fragment> {
        guard isPossible else { return Deferred(state: .notExecuted) }
        if let fragment: Fragment = try fragment() { return Deferred(state: .fulfilled(fragment)) }
        return Deferred(state: failure(label).map { .failed($0.messages) } ?? .pending)
    }

    private func failure(_ label: String?) -> DeferredFailure? {
        let failures = reader.context._withUnsafeGuaranteedRef { $0.failures }
        guard !failures.isEmpty else { return nil }
        let path = PathFinder.path(to: start - 1, in: reader.bytes)
        return failures.first { $0.label == label && $0.path == path }
    }

    // MARK: Places

    @usableFromInline
    init(rewinding other: SelectionReader) {
        self.init(other.reader)
        start = other.start
        reader.offset = start
    }

    /// Moves to the value of a member.
    ///
    /// - Returns: False if the object has no such member.
    @inlinable
    mutating func seek(_ name: StaticString) throws(SelectionError) -> Bool {
        if consumeName(name) { return true }
        return try search(name)
    }

    /// Consumes the name of a member and its colon, if it is the next one.
    @inlinable
    mutating func consumeName(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        let bytes = reader.bytes
        let at = reader.offset
        guard bytes.count - at > count + 2, bytes[at] == UInt8(ascii: "\"") else { return false }
        guard bytes[at + count + 1] == UInt8(ascii: "\"") else { return false }
        for index in 0..<count where bytes[at + 1 + index] != name.utf8Start[index] { return false }
        reader.offset = at + count + 2
        if bytes[reader.offset] == UInt8(ascii: ":") {
            reader.offset += 1
            if reader.current > 0x20 { return true }
        } else {
            reader.skipSpace()
            guard reader.consume(UInt8(ascii: ":")) else {
                reader.offset = at
                return false
            }
        }
        reader.skipSpace()
        return true
    }

    /// Moves past the comma after a value, or stays at the closing brace.
    @inlinable
    mutating func nextMember() throws(SelectionError) {
        if !reader.consume(UInt8(ascii: ",")) {
            reader.skipSpace()
            if !reader.consume(UInt8(ascii: ",")) {
                guard reader.current == UInt8(ascii: "}") else { throw reader.malformed("a comma or a brace") }
                return
            }
        }
        if reader.current != UInt8(ascii: "\"") { reader.skipSpace() }
    }

    @usableFromInline
    func missing(_ name: StaticString) -> SelectionError {
        SelectionError(.missingField, expected: name.description, offset: start - 1)
    }

    @usableFromInline
    mutating func search(_ name: StaticString) throws(SelectionError) -> Bool {
        let place = reader.offset
        guard searchCount < SelectionReader.searchCountMax else { return try searchIndex(name) }
        searchCount += 1
        while reader.current != UInt8(ascii: "}") {
            if consumeName(name) { return true }
            try skipMember()
        }
        reader.offset = start
        while reader.offset < place {
            if consumeName(name) { return true }
            try skipMember()
        }
        reader.offset = place
        return false
    }

    private mutating func searchIndex(_ name: StaticString) throws(SelectionError) -> Bool {
        let offsets: [[UInt8]: Int]
        if let index {
            offsets = index
        } else {
            offsets = try indexed()
            index = offsets
        }
        let wanted = Array(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        guard let offset = offsets[wanted] else { return false }
        reader.offset = offset
        return true
    }

    /// Returns the offsets of all values by name.
    private func indexed() throws(SelectionError) -> [[UInt8]: Int] {
        var offsets: [[UInt8]: Int] = [:]
        var object = SelectionReader(rewinding: self)
        while object.reader.current != UInt8(ascii: "}") {
            let start = object.reader.offset
            try object.reader.skipString()
            let name = Array(object.reader.bytes[start + 1..<object.reader.offset - 1])
            try object.skipColon()
            offsets[name] = object.reader.offset
            try object.reader.skipValue()
            try object.nextMember()
        }
        return offsets
    }

    @usableFromInline
    mutating func skipRest() throws(SelectionError) {
        while reader.current != UInt8(ascii: "}") { try skipMember() }
    }

    private mutating func skipMember() throws(SelectionError) {
        try reader.skipString()
        try skipColon()
        try reader.skipValue()
        try nextMember()
    }

    private mutating func skipColon() throws(SelectionError) {
        reader.skipSpace()
        guard reader.consume(UInt8(ascii: ":")) else { throw reader.malformed("a colon") }
        reader.skipSpace()
    }
}
