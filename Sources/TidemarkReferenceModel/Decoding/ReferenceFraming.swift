/// Cuts a stream into lines.
///
/// - Source: Protocol/framing.md, "Lines".
package enum ReferenceFraming {
    /// The lines of a stream: split on LF only, one CR before it removed, a BOM at the very start ignored.
    ///
    /// - Returns: The bytes of each line without its end, and its place. An empty rest after the last LF is no line.
    package static func lines(of stream: [UInt8]) -> [(bytes: [UInt8], place: ReferencePlace)] {
        var start = stream.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var lines: [(bytes: [UInt8], place: ReferencePlace)] = []
        while start < stream.count {
            var end = start
            while end < stream.count && stream[end] != 0x0A { end += 1 }
            var bytes = Array(stream[start..<end])
            if bytes.last == 0x0D { bytes.removeLast() }
            lines.append((bytes, ReferencePlace(line: lines.count + 1, offset: start)))
            start = end + 1
        }
        return lines
    }

    /// Whether a line has nothing but spaces, tabs and CRs.
    package static func isBlank(_ line: [UInt8]) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
