import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// JSON in a canonical spelling, so that equal inputs of a query have equal bytes.
///
/// It has no white space. Members are sorted by the bytes of their unescaped names, and only the last of members with
/// the same name is kept. Strings have as few escapes as possible. Numbers are unchanged, so `1` and `1.0` are
/// different inputs.
///
/// - Source: Protocol/queries.md, identity.
package enum CanonicalJSON {
    /// The largest text: 1 MiB, because each query keeps its key in memory.
    package static let byteCountMax = 1 << 20
    /// The largest nesting: the same as for a line.
    static let nestingDepthMax = 64

    /// Returns the canonical form of a JSON text.
    ///
    /// - Parameters:
    ///   - json: Any bytes.
    ///   - name: What messages call the text.
    /// - Throws: ``CacheError`` `invalidParams` when the bytes are not JSON, nest too deeply or are too many.
    /// - Complexity: O(json.count · nesting).
    package static func text(of json: [UInt8], name: String) throws(CacheError) -> ByteString {
        guard json.count <= byteCountMax else {
            throw CacheError(.invalidParams, "\(name) has \(json.count) bytes: pass at most \(byteCountMax)")
        }
        guard String(validating: json, as: UTF8.self) != nil else {
            throw CacheError(.invalidParams, "\(name) is not UTF-8: pass JSON in UTF-8")
        }
        let (text, fault) = json.withUnsafeBytes { bytes in
            var scan = JSONScan(bytes, nestingDepthMax: nestingDepthMax, into: CanonicalBuilder(bytes))
            return (scan.whole().map { scan.receiver.text }, scan.fault)
        }
        guard let text else {
            let what = fault.isTooDeep ? "nests more than \(nestingDepthMax) deep" : "is not JSON"
            throw CacheError(.invalidParams, "\(name) \(what) at byte \(fault.offset): pass one JSON value")
        }
        return ByteString(text)
    }
}

/// Writes the canonical form of a text from the tokens of a scan.
private struct CanonicalBuilder: JSONReceiver {
    /// An open object or array.
    struct Container {
        let isObject: Bool
        /// The offset in the output after the opening bracket.
        let start: Int
        /// The members of an object in the order of the text, each with the range of its value in the output; empty for
        /// an array.
        var members: [(name: [UInt8], value: Range<Int>)] = []
    }

    /// The caller has checked the whole text.
    static let requiresUTF8 = false

    /// The output. It has the values of an open object without their names, which `close` adds in order, and the
    /// elements of an open array, each followed by a comma.
    private(set) var text: [UInt8] = []
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        text.reserveCapacity(bytes.count)
    }

    mutating func open(isObject: Bool, at start: Int) -> Container {
        text.append(UInt8(ascii: isObject ? "{" : "["))
        return Container(isObject: isObject, start: text.count)
    }

    mutating func name(_ name: JSONStringToken, in object: inout Container) {
        object.members.append((unescaped(name), text.count..<text.count))
    }

    mutating func add(_ value: Void, to container: inout Container) {
        if let last = container.members.indices.last {
            container.members[last].value = container.members[last].value.lowerBound..<text.count
        } else {
            text.append(UInt8(ascii: ","))
        }
    }

    mutating func close(_ container: consuming Container, at end: Int) {
        if container.isObject {
            let members = sorted(container.members)
            text.replaceSubrange(container.start..., with: members)
            text.append(UInt8(ascii: "}"))
        } else {
            if text.count > container.start { text.removeLast() }
            text.append(UInt8(ascii: "]"))
        }
    }

    /// Returns the text of an object's members, sorted by name; of members with the same name only the last.
    private func sorted(_ members: [(name: [UInt8], value: Range<Int>)]) -> [UInt8] {
        let sorted = members.sorted {
            $0.name == $1.name
                ? $0.value.lowerBound < $1.value.lowerBound : $0.name.lexicographicallyPrecedes($1.name)
        }
        var result: [UInt8] = []
        for (index, member) in sorted.enumerated() {
            if index + 1 < sorted.count, sorted[index + 1].name == member.name { continue }
            if !result.isEmpty { result.append(UInt8(ascii: ",")) }
            CanonicalString.append(member.name, to: &result)
            result.append(UInt8(ascii: ":"))
            result += text[member.value]
        }
        return result
    }

    mutating func string(_ string: JSONStringToken) { CanonicalString.append(unescaped(string), to: &text) }

    mutating func number(_ range: Range<Int>, isInteger: Bool) { text += bytes[range] }

    mutating func word(_ word: JSONWord, _ range: Range<Int>) { text += bytes[range] }

    /// Returns the bytes of a string without escapes. Half a surrogate pair becomes the three bytes of its code in
    /// UTF-8.
    private func unescaped(_ token: JSONStringToken) -> [UInt8] {
        JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[token.range]))
    }
}
