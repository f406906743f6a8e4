import TidemarkModel
import TidemarkStore

/// Where everything stands in one JSON text: what a decoder needs to find a member without reading the text again.
///
/// Made for one decode. It checks the grammar of the whole text once; numbers and strings are read when something asks
/// for them. Values stand in the order of the text, each container before what is in it, each name before its value.
/// Names are compared unescaped and as bytes; of members with one name the last counts.
///
/// - Source: RFC 8259; Protocol/framing.md; docs/decisions/0015-decoding-resources.md.
final class JSONOutline {
    /// Containers that may be open at once: as many as the store lets an entity have.
    static let nestingDepthMax = Limits.nestingDepthCeiling

    enum Kind: UInt8 {
        case object, array, string, number, `true`, `false`, null
        /// A member's, before its value.
        case name
    }

    /// One value or name.
    struct Entry {
        var kind: Kind
        /// Of a string or a name: it holds a backslash.
        var isEscaped = false
        /// Of a string: it is known to hold ASCII alone.
        var isASCII = false
        /// Of a name: the same one comes again in the object.
        var isSuperseded = false
        /// Of a number: it has neither fraction nor exponent.
        var isInteger = false
        /// The first byte; of a string or a name the one behind its quote.
        var start: UInt32
        /// Behind the last byte; of a string or a name the closing quote.
        var end: UInt32
        /// The entry behind this one and everything in it.
        var next: UInt32
        /// How many members, repeated ones too, or elements it has. Of a name: see ``fingerprint(_:)``.
        var count: UInt32 = 0
        /// Of an object: the name that is looked at first, because fields are asked for in their order mostly.
        var hint: UInt32 = 0
    }

    let bytes: [UInt8]
    /// How names and dates are written in the text.
    let conventions: ResourceConventions
    /// Whether names are others than the coding keys have.
    let hasSnakeCaseNames: Bool
    /// As many as the scan made, given back in `deinit`, so valid for as long as anybody who could read it holds this
    /// object. A pointer, because an array in a class is checked for exclusive access each time a hint is written.
    private let entries: UnsafeMutablePointer<Entry>
    /// Of each object with more members than ``tableMemberCountMin``: values by name.
    private let tables: [Int: [[UInt8]: Int]]
    /// A null behind the value: what a decoder of nothing reads.
    let absent: Int
    /// For whoever finds the text through `userInfo`.
    private(set) lazy var source = JSONSource(bytes)

    /// Members from which a table pays.
    static let tableMemberCountMin = 32

    /// - Parameter bytes: Kept.
    /// - Returns: nil when it is no JSON, too deep, or 2 GiB or more.
    /// - Complexity: O(bytes.count).
    init?(_ bytes: [UInt8], _ conventions: ResourceConventions = ResourceConventions()) {
        guard bytes.count <= Int32.max else { return nil }
        var scan = JSONOutlineScan(entryCount: bytes.count / 12 + 8)
        guard bytes.withUnsafeBytes({ scan.whole($0) }) else { return nil }
        self.bytes = bytes
        self.conventions = conventions
        hasSnakeCaseNames = conventions.names == .snakeCase
        entries = .allocate(capacity: scan.entries.count)
        entries.initialize(from: scan.entries, count: scan.entries.count)
        tables = scan.tables
        absent = scan.entries.count - 1
    }

    deinit {
        entries.deallocate()
    }

    subscript(index: Int) -> Entry {
        @inline(__always) get { entries[index] }
    }

    @inline(__always) func kind(_ index: Int) -> Kind { entries[index].kind }

    // MARK: Members

    /// The value of a member; nil when there is none.
    ///
    /// - Complexity: O(1) for the member behind the one that was found last; else O(members), with a table O(1).
    func value(named name: String, in object: Int) -> Int? {
        var name = name
        return name.withUTF8 { find(UnsafeRawBufferPointer($0), in: object) }
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

    /// The names that count, in their order.
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

    private func unescapedName(_ index: Int) -> [UInt8] {
        let entry = entries[index]
        return bytes.withUnsafeBytes {
            JSONEscapes.unescaped(UnsafeRawBufferPointer(rebasing: $0[Int(entry.start)..<Int(entry.end)])).bytes
        }
    }

    // MARK: Paths

    /// The keys that lead from one value to another inside it.
    ///
    /// - Complexity: O(entries between the two). Asked for only when something is wrong.
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
