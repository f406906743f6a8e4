/// Reads the members before the damage on a broken line.
///
/// A field counts if its value is followed by `,` or `}`. Reading stops at the first error of grammar or depth, or
/// after the 4 KiB that the quarantine keeps; invalid UTF-8 does not stop it.
///
/// - Source: Protocol/framing.md, "What a broken line still says".
package struct ReferenceSalvage {
    private var parser: ReferenceJSONParser

    private init(_ line: [UInt8], nestingMax: Int, byteCountMax: Int) {
        parser = ReferenceJSONParser(Array(line.prefix(byteCountMax)), nestingMax: nestingMax)
    }

    /// Returns the complete members of the top-level object on a broken line, including the complete members of its
    /// `envelope`.
    ///
    /// - Returns: An object; without members if nothing could be read.
    package static func members(of line: [UInt8], nestingMax: Int, byteCountMax: Int) -> ReferenceJSON {
        var salvage = ReferenceSalvage(line, nestingMax: nestingMax, byteCountMax: byteCountMax)
        var found: [ReferenceMember] = []
        salvage.parser.skipWhiteSpace()
        _ = salvage.readObject(into: &found, isTop: true)
        return .object(found)
    }

    /// Reads members; returns true if the object ends, false if it is damaged.
    private mutating func readObject(into found: inout [ReferenceMember], isTop: Bool) -> Bool {
        guard parser.consume("{") else { return false }
        parser.skipWhiteSpace()
        if parser.consume("}") { return true }
        while true {
            guard let member = readMember(into: &found, isTop: isTop) else { return false }
            parser.skipWhiteSpace()
            let hasMore = parser.consume(",")
            let isClosed = !hasMore && parser.consume("}")
            guard hasMore || isClosed else {
                // The members of an envelope are complete by themselves, whatever follows the envelope.
                if isTop, member.key.unescaped == Array("envelope".utf8), case .object = member.value {
                    found.append(member)
                }
                return false
            }
            found.append(member)
            if isClosed { return true }
        }
    }

    private mutating func readMember(into found: inout [ReferenceMember], isTop: Bool) -> ReferenceMember? {
        do {
            parser.skipWhiteSpace()
            let key = try parser.string()
            parser.skipWhiteSpace()
            guard parser.consume(":") else { return nil }
            parser.skipWhiteSpace()
            if isTop, key.unescaped == Array("envelope".utf8), parser.next == UInt8(ascii: "{") {
                var inner: [ReferenceMember] = []
                try parser.open()
                let isWhole = readObject(into: &inner, isTop: false)
                parser.close()
                let member = ReferenceMember(key: key, value: .object(inner))
                if isWhole { return member }
                found.append(member)
                return nil
            }
            return ReferenceMember(key: key, value: try parser.value())
        } catch {
            // The damage starts here. Nothing is lost silently, because the line itself goes to quarantine.
            return nil
        }
    }
}
