import TidemarkModel

/// The positions of all values in a JSON text, so that a decoder finds a member without reading the text again.
///
/// An outline is made for one decode. It checks the grammar of the whole text once; numbers and strings are read when
/// the decoder asks for them. Entries are in the order of the text, each container before its contents and each name
/// before its value. Names are compared unescaped and as bytes. Of several members with the same name the last one
/// counts.
///
/// - Source: RFC 8259; Protocol/framing.md; docs/decisions/0015-decoding-resources.md.
package final class JSONOutline {
    /// The largest number of containers that may be open at once: as many as the store accepts in an entity.
    package static let nestingDepthMax = Limits.nestingDepthCeiling

    /// The kind of an entry.
    package enum Kind: UInt8 {
        /// A value of this kind.
        case object, array, string, number, `true`, `false`, null
        /// The name of a member. Its entry directly precedes that of the value.
        case name
    }

    /// One value or name.
    package struct Entry {
        /// The kind of the value, or that this is a name.
        package var kind: Kind
        /// True if a string or a name contains a backslash.
        package var isEscaped = false
        /// True if a string is known to be ASCII only.
        package var isASCII = false
        /// True if a later member of the same object has the same name.
        package var isSuperseded = false
        /// True if a number has neither fraction nor exponent.
        package var isInteger = false
        /// The offset of the first byte; for a string or a name, of the first byte after the opening quote.
        package var start: UInt32
        /// The offset after the last byte; for a string or a name, of the closing quote.
        package var end: UInt32
        /// The index of the first entry after this one and its contents.
        package var next: UInt32
        /// The number of members of an object, repeated names included, or of elements of an array. For a name, its
        /// ``fingerprint(_:)``.
        package var count: UInt32 = 0
        /// The name in an object to try first, because fields are mostly decoded in the order of the text.
        package var hint: UInt32 = 0
    }

    /// The text.
    package let bytes: [UInt8]
    /// How the server writes names and dates.
    let conventions: ResourceConventions
    /// True if names in the text are in snake case, unlike the coding keys.
    let hasSnakeCaseNames: Bool
    /// The entries. They are freed in `deinit`, so they are valid for every reader that holds this object. A pointer,
    /// because an array in a class is checked for exclusive access each time a hint is written.
    private let entries: UnsafeMutablePointer<Entry>
    /// The values by name, for each object with more members than ``tableMemberCountMin``.
    private let tables: [Int: [[UInt8]: Int]]
    /// The entry of a null after the whole value, which the decoder of a missing member reads.
    let absent: Int
    /// The text, for a decoder that finds it in `userInfo`.
    private(set) lazy var source = JSONSource(bytes)

    /// The byte order mark U+FEFF, with which a text may begin.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// How many members an object may have without a table.
    static let tableMemberCountMin = 32

    /// Makes the outline of a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, which the outline keeps.
    ///   - conventions: How the server writes names and dates.
    /// - Returns: nil when the text is not JSON, is nested too deeply, or is 2 GiB or more.
    /// - Complexity: O(bytes.count).
    init?(_ bytes: [UInt8], _ conventions: ResourceConventions = ResourceConventions()) {
        guard bytes.count <= Int32.max else { return nil }
        let built = bytes.withUnsafeBytes { text in
            let builder = JSONOutlineBuilder(text, entryCount: bytes.count / 12 + 8)
            let start = text.starts(with: JSONOutline.byteOrderMark) ? JSONOutline.byteOrderMark.count : 0
            var scan = JSONScan(
                text, from: start, nestingDepthMax: JSONOutline.nestingDepthMax, into: builder)
            guard scan.whole() != nil else { return nil as (entries: [Entry], tables: [Int: [[UInt8]: Int]])? }
            // In place, because a copy of the receiver would share its array, which would then be copied.
            scan.receiver.finish()
            return (scan.receiver.entries, scan.receiver.tables)
        }
        guard let built else { return nil }
        self.bytes = bytes
        self.conventions = conventions
        hasSnakeCaseNames = conventions.names == .snakeCase
        entries = .allocate(capacity: built.entries.count)
        entries.initialize(from: built.entries, count: built.entries.count)
        tables = built.tables
        absent = built.entries.count - 1
    }

    deinit {
        entries.deallocate()
    }

    /// The entry at an index, in the order of the text.
    package subscript(index: Int) -> Entry {
        @inline(__always) get { entries[index] }
    }

    /// Returns the kind of the entry at an index.
    @inline(__always) package func kind(_ index: Int) -> Kind { entries[index].kind }

    // MARK: Members

    /// Returns the entry of a member's value; nil when there is no such member.
    ///
    /// - Complexity: O(1) for the member after the one that was found last; otherwise O(members), or O(1) with a table.
    func value(named name: String, in object: Int) -> Int? {
        var name = name
        return name.withUTF8 { find(UnsafeRawBufferPointer($0), in: object) }
    }

    /// Makes the outline of a text whose names are compared as bytes.
    ///
    /// - Returns: nil when the text is not JSON, is nested too deeply, or is 2 GiB or more.
    package convenience init?(text bytes: [UInt8]) { self.init(bytes) }

    /// Returns the entry of a member's value by the bytes of its name; nil when there is no such member.
    ///
    /// - Complexity: The same as of ``value(named:in:)``.
    package func value(named name: ByteString, in object: Int) -> Int? {
        name.bytes.withUnsafeBytes { find($0, in: object) }
    }

    private func find(_ wanted: UnsafeRawBufferPointer, in object: Int) -> Int? {
        let end = Int(entries[object].next)
        let hint = Int(entries[object].hint)
        if hint < end, !entries[hint].isSuperseded, isName(hint, wanted) { return found(hint, in: object) }
        if entries[object].count > JSONOutline.tableMemberCountMin {
            return tables[object]?[Array(wanted)].map { found($0 - 1, in: object) }
        }
        let fingerprint = JSONOutline.fingerprint(wanted)
        var at = object + 1
        while at < end {
            if entries[at].count == fingerprint, !entries[at].isSuperseded, isName(at, wanted) {
                return found(at, in: object)
            }
            at = Int(entries[at + 1].next)
        }
        return nil
    }

    @inline(__always) private func found(_ name: Int, in object: Int) -> Int {
        entries[object].hint = entries[name + 1].next
        return name + 1
    }

    @inline(__always) private func isName(_ index: Int, _ wanted: UnsafeRawBufferPointer) -> Bool {
        let entry = entries[index]
        if entry.isEscaped { return unescapedName(index).elementsEqual(wanted) }
        guard Int(entry.end &- entry.start) == wanted.count else { return false }
        return bytes.withUnsafeBytes {
            JSONText.haveEqualBytes(UnsafeRawBufferPointer(rebasing: $0[Int(entry.start)..<Int(entry.end)]), wanted)
        }
    }

    /// Returns the names of an object's members in order, each name once.
    func names(in object: Int) -> [String] {
        var names: [String] = []
        names.reserveCapacity(Int(entries[object].count))
        var at = object + 1
        while at < Int(entries[object].next) {
            if !entries[at].isSuperseded { names.append(name(at)) }
            at = Int(entries[at + 1].next)
        }
        return names
    }

    private func name(_ index: Int) -> String {
        String(decoding: unescapedName(index), as: UTF8.self)
    }

    /// Returns the bytes of a name or a string without escapes.
    package func unescapedName(_ index: Int) -> [UInt8] {
        let entry = entries[index]
        return bytes.withUnsafeBytes {
            JSONEscapes.unescaped(UnsafeRawBufferPointer(rebasing: $0[Int(entry.start)..<Int(entry.end)])).bytes
        }
    }

    // MARK: Paths

    /// Returns the coding keys that lead from a value to another one inside it.
    ///
    /// - Complexity: O(entries between the two). Used only for errors and for `codingPath`.
    func keys(from origin: Int, to target: Int) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var at = origin
        while at != target {
            precondition(at < target && target < entries[at].next, "entry \(target) is not inside \(at)")
            if kind(at) == .object {
                var name = at + 1
                while entries[name + 1].next <= target { name = Int(entries[name + 1].next) }
                keys.append(JSONName(self.name(name)))
                at = name + 1
            } else {
                var element = at + 1
                var index = 0
                while entries[element].next <= target {
                    element = Int(entries[element].next)
                    index += 1
                }
                keys.append(JSONIndexKey(index))
                at = element
            }
        }
        return keys
    }
}
