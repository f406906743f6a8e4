import TidemarkModel
import TidemarkStore

/// The members of an object that a host wrote, read by type. A member of the wrong type is refused by its name; null
/// counts as absent, and members that nobody asks for are ignored.
package struct Params {
    private let members: [[UInt8]: JSONSlice]
    /// What the object is called in messages: empty, or such as `included[0].`.
    private let path: String

    /// - Parameter path: How messages call the object: empty for `params` themselves.
    /// - Throws: ``CacheError`` `invalidParams` for what is no object.
    package init(_ value: JSONSlice, path: String = "") throws(CacheError) {
        guard let members = value.members else {
            let name = path.isEmpty ? "params" : path
            throw CacheError(.invalidParams, "\(name) is \(value.kind.rawValue): pass an object")
        }
        self.members = members
        self.path = path.isEmpty ? "" : path + "."
    }

    /// No members at all.
    package init() {
        members = [:]
        path = ""
    }

    /// A member as it is. nil when it is absent or null.
    package func value(_ name: String) -> JSONSlice? {
        guard let value = members[Array(name.utf8)], value.kind != .null else { return nil }
        return value
    }

    /// Whether a member is there, null or not.
    package func holds(_ name: String) -> Bool { members[Array(name.utf8)] != nil }

    /// Refuses members that nobody reads: one that is misspelt would count as absent, and what it was to narrow would be done to
    /// everything.
    ///
    /// - Parameters:
    ///   - known: Every name that may be there.
    ///   - owner: Who takes them, in messages: such as `cache.remove`.
    /// - Throws: ``CacheError`` `invalidParams` with the first unknown name, by its bytes, and the nearest known one.
    /// - Complexity: O(members + names), and the square of a name's length where one is unknown.
    package func refuseUnknown(_ known: [String], of owner: String) throws(CacheError) {
        let names = Set(known.map { Array($0.utf8) })
        guard let unknown = members.keys.filter({ !names.contains($0) }).map({ ByteString($0) }).min() else { return }
        let advice =
            NearestName.of(unknown, among: known).map { "did you mean \(path)\($0)?" }
            ?? "pass none but \(known.joined(separator: ", "))"
        throw CacheError(
            .invalidParams, "\(path)\(unknown.excerpt(byteCount: 60)) is not known in \(owner): \(advice)")
    }

    /// How messages call a member.
    package func name(_ name: String) -> String { path + name }

    /// The error for a member that is there and of no use.
    package func wrong(_ name: String, _ wanted: String) -> CacheError {
        let found = value(name).map { Params.found($0) } ?? "is missing"
        return CacheError(.invalidParams, "\(path)\(name) \(found): pass \(wanted)")
    }

    /// The error for a value that does not have the wanted form.
    static func found(_ value: JSONSlice) -> String {
        if value.kind == .string, value.text == nil {
            return "holds half a surrogate pair, which is no character"
        }
        return "is \(value.kind.rawValue)"
    }

    /// A string. nil when absent.
    ///
    /// - Throws: ``CacheError`` for another type, or more bytes.
    package func text(_ name: String, byteCountMax: Int = Params.textByteCountMax) throws(CacheError) -> ByteString? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrong(name, "a string") }
        guard text.count <= byteCountMax else {
            throw CacheError(
                .invalidParams, "\(path)\(name) has \(text.count) bytes: pass a string of at most \(byteCountMax)")
        }
        return ByteString(text)
    }

    /// A string that must be there and not empty.
    package func requiredText(_ name: String) throws(CacheError) -> ByteString {
        guard let text = try text(name), !text.bytes.isEmpty else { throw wrong(name, "a string that is not empty") }
        return text
    }

    /// `true` or `false`; false when absent.
    package func flag(_ name: String) throws(CacheError) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.bool else { throw wrong(name, "true or false") }
        return flag
    }

    /// A whole number in a range. nil when absent.
    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(CacheError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer, range.contains(integer) else {
            throw CacheError(
                .invalidParams,
                "\(path)\(name) is \(ByteString.excerpt(of: value.bytes, byteCount: 40)): pass a whole number "
                    + "from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A sequence. nil when absent.
    package func sequence(_ name: String) throws(CacheError) -> EventSequence? {
        try integer(name, in: 0...Int64.max).map { EventSequence($0) }
    }

    /// A span of time that is written in seconds, with or without decimals; in milliseconds. nil when absent.
    package func milliseconds(_ name: String) throws(CacheError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard value.kind == .number, let seconds = Double(String(decoding: value.bytes, as: UTF8.self)),
            seconds >= 0, seconds <= Params.secondsMax
        else { throw wrong(name, "seconds, from 0 to \(Int64(Params.secondsMax))") }
        return Int64((seconds * 1_000).rounded())
    }

    /// An object, as it is. nil when absent.
    package func object(_ name: String) throws(CacheError) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard value.kind == .object else { throw wrong(name, "an object") }
        return Array(value.bytes)
    }

    /// An array of at most so many elements. nil when absent.
    package func elements(_ name: String, countMax: Int) throws(CacheError) -> [JSONSlice]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.elements else { throw wrong(name, "an array") }
        guard elements.count <= countMax else {
            throw CacheError(
                .limitExceeded, "\(path)\(name) has \(elements.count) elements: pass at most \(countMax) at once")
        }
        return elements
    }

    /// An array of strings. nil when absent.
    package func texts(_ name: String, countMax: Int) throws(CacheError) -> [ByteString]? {
        guard let elements = try elements(name, countMax: countMax) else { return nil }
        var texts: [ByteString] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else {
                throw CacheError(
                    .invalidParams, "\(path)\(name)[\(index)] \(Params.found(element)): pass an array of strings")
            }
            texts.append(ByteString(text))
        }
        return texts
    }

    /// Names and words: 1,024 bytes.
    package static let textByteCountMax = 1_024
    /// About 31,700 years; more milliseconds would not be exact in a `Double`.
    private static let secondsMax = 1e12
}
