import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The members of an object that a host sent, read by type. An error names the member of the wrong type. null counts as
/// absent, and members that are never read are ignored.
package struct Params {
    private let members: [[UInt8]: JSONSlice]
    /// The object itself.
    package let slice: JSONSlice
    /// What messages put before the names of members: empty, or for example `included[0].`.
    private let path: String

    /// Makes the params of a JSON value.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - path: What messages call the object; empty for `params` themselves.
    /// - Throws: ``CacheError`` `invalidParams` when the value is not an object.
    package init(_ value: JSONSlice, path: String = "") throws(CacheError) {
        guard let members = value.members else {
            let name = path.isEmpty ? "params" : path
            throw CacheError(.invalidParams, "\(name) is \(value.kind.rawValue): pass an object")
        }
        self.members = members
        slice = value
        self.path = path.isEmpty ? "" : path + "."
    }

    /// Makes an object without members.
    package init() {
        members = [:]
        slice = JSONSlice(compact: Array("{}".utf8)[...])
        path = ""
    }

    /// Returns a member unchanged; nil when it is absent or null.
    package func value(_ name: String) -> JSONSlice? {
        guard let value = members[Array(name.utf8)], value.kind != .null else { return nil }
        return value
    }

    /// Returns true if a member is present, null or not.
    package func holds(_ name: String) -> Bool { members[Array(name.utf8)] != nil }

    /// Refuses members that are never read. A misspelt member would count as absent, and an operation that it was meant
    /// to narrow would apply to everything.
    ///
    /// - Parameters:
    ///   - known: Every name that is allowed.
    ///   - owner: What messages call the owner of the members, for example `cache.remove`.
    /// - Throws: ``CacheError`` `invalidParams` with the first unknown name in byte order, and the nearest known one.
    /// - Complexity: O(members + names), and the square of a name's length where one is unknown.
    package func refuseUnknown(_ known: [String], of owner: String) throws(CacheError) {
        let names = Set(known.map { Array($0.utf8) })
        guard let unknown = members.keys.filter({ !names.contains($0) }).map({ ByteString($0) }).min() else { return }
        let advice =
            NearestName.of(unknown, among: known).map { "did you mean \(path)\($0)?" }
            ?? "pass only \(known.joined(separator: ", "))"
        throw CacheError(
            .invalidParams, "\(path)\(unknown.excerpt(byteCount: 60)) is not known in \(owner): \(advice)")
    }

    /// Returns what messages call a member.
    package func name(_ name: String) -> String { path + name }

    /// Returns the error for a member that is missing or not usable.
    package func wrong(_ name: String, _ wanted: String) -> CacheError {
        let found = value(name).map { Params.found($0) } ?? "is missing"
        return CacheError(.invalidParams, "\(path)\(name) \(found): pass \(wanted)")
    }

    /// Describes a value of the wrong form, for messages.
    static func found(_ value: JSONSlice) -> String {
        if value.kind == .string, value.text == nil {
            return "has half a surrogate pair, which is not a character"
        }
        return "is \(value.kind.rawValue)"
    }

    /// Reads a string; nil when absent.
    ///
    /// - Throws: ``CacheError`` when the value is of another type or has too many bytes.
    package func text(_ name: String, byteCountMax: Int = Params.textByteCountMax) throws(CacheError) -> ByteString? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw wrong(name, "a string") }
        guard text.count <= byteCountMax else {
            throw CacheError(
                .invalidParams, "\(path)\(name) has \(text.count) bytes: pass a string of at most \(byteCountMax)")
        }
        return ByteString(text)
    }

    /// Reads a string that must be present and not empty.
    package func requiredText(_ name: String) throws(CacheError) -> ByteString {
        guard let text = try text(name), !text.bytes.isEmpty else { throw wrong(name, "a string that is not empty") }
        return text
    }

    /// Reads `true` or `false`; false when absent.
    package func flag(_ name: String) throws(CacheError) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.bool else { throw wrong(name, "true or false") }
        return flag
    }

    /// Reads a whole number in a range; nil when absent.
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

    /// Reads a sequence; nil when absent.
    package func sequence(_ name: String) throws(CacheError) -> EventSequence? {
        try integer(name, in: 0...Int64.max).map { EventSequence($0) }
    }

    /// Reads a duration in seconds, with or without decimals, and returns milliseconds; nil when absent.
    package func milliseconds(_ name: String) throws(CacheError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard value.kind == .number, let seconds = Double(String(decoding: value.bytes, as: UTF8.self)),
            seconds >= 0, seconds <= Params.secondsMax
        else { throw wrong(name, "seconds, from 0 to \(Int64(Params.secondsMax))") }
        return Int64((seconds * 1_000).rounded())
    }

    /// Reads an object unchanged; nil when absent.
    package func object(_ name: String) throws(CacheError) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard value.kind == .object else { throw wrong(name, "an object") }
        return Array(value.bytes)
    }

    /// Reads an array of at most `countMax` elements; nil when absent.
    package func elements(_ name: String, countMax: Int) throws(CacheError) -> [JSONSlice]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.elements else { throw wrong(name, "an array") }
        guard elements.count <= countMax else {
            throw CacheError(
                .limitExceeded, "\(path)\(name) has \(elements.count) elements: pass at most \(countMax) at once")
        }
        return elements
    }

    /// Reads an array of strings; nil when absent.
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

    /// The largest string that is a name or a word: 1,024 bytes.
    package static let textByteCountMax = 1_024
    /// The largest duration: about 31,700 years. A `Double` holds no more milliseconds exactly.
    private static let secondsMax = 1e12
}
