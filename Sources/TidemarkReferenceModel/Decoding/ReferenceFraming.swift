/// Splits a stream into lines.
///
/// - Source: Protocol/framing.md, "Lines".
package enum ReferenceFraming {
    /// Returns the lines of a stream: split at LF only, without one CR before it, and without a BOM at the very start.
    ///
    /// - Returns: The bytes of each line without its end, and its position. Nothing after the last LF is not a line.
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

    /// Returns true if a line contains only spaces, tabs and CRs.
    package static func isBlank(_ line: [UInt8]) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
