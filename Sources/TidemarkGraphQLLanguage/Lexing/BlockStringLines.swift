/// Splits a block string into lines and removes their common indentation.
///
/// - Source: GraphQL, October 2021, section 2.9.4, BlockStringValue.
struct BlockStringLines {
    private var lines: [ArraySlice<UInt8>] = []

    /// Splits a block string into lines.
    ///
    /// - Parameter raw: The bytes between the quotes with escapes resolved. A line ends with LF, CR LF or CR.
    init(_ raw: [UInt8]) {
        var start = 0
        var offset = 0
        while offset < raw.count {
            guard raw[offset] == UInt8(ascii: "\n") || raw[offset] == UInt8(ascii: "\r") else {
                offset += 1
                continue
            }
            lines.append(raw[start..<offset])
            let isPair = raw[offset] == UInt8(ascii: "\r") && offset + 1 < raw.count && raw[offset + 1] == 0x0A
            offset += isPair ? 2 : 1
            start = offset
        }
        lines.append(raw[start...])
    }

    /// The lines, without blank lines at both ends and without the common indentation of all lines but the first.
    var text: [UInt8] {
        let indents = lines.map(BlockStringLines.indent)
        let common = zip(lines, indents).dropFirst().filter { $0.count > $1 }.map(\.1).min() ?? 0
        guard let first = zip(lines, indents).firstIndex(where: { $0.count > $1 }) else { return [] }
        var last = lines.count - 1
        while indents[last] == lines[last].count { last -= 1 }
        var text: [UInt8] = []
        for index in first...last {
            if index > first { text.append(UInt8(ascii: "\n")) }
            text += index == 0 ? lines[index] : lines[index].dropFirst(common)
        }
        return text
    }

    /// Returns the number of spaces and tabs at the start of a line.
    private static func indent(_ line: ArraySlice<UInt8>) -> Int {
        line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
    }
}

extension Zip2Sequence {
    /// Returns the index of the first pair that fulfils `predicate`.
    fileprivate func firstIndex(where predicate: (Element) -> Bool) -> Int? {
        for (index, pair) in enumerated() where predicate(pair) { return index }
        return nil
    }
}
