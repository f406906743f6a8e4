/// Converts Swift names to snake case and back.
///
/// Words are split as by Foundation's `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase`: a word begins at the first
/// of several capitals, and at the last capital before a small letter.
package enum SnakeCase {
    /// Returns the name of a coding key on the wire. A key that is in snake case already is unchanged.
    ///
    /// - Complexity: O(key.utf8.count); allocates nothing for keys without capitals.
    package static func name(_ key: String) -> String {
        var key = key
        let ascii = key.withUTF8 { key -> String?? in
            var bits: UInt8 = 0
            var hasCapitals = false
            for byte in key {
                bits |= byte
                if isCapital(byte) { hasCapitals = true }
            }
            guard bits < 0x80 else { return nil }
            return .some(hasCapitals ? name(ascii: key) : nil)
        }
        switch ascii {
        case .some(.some(let name)): return name
        case .some(.none): return key
        case .none: return name(scalars: Array(key.unicodeScalars))
        }
    }

    /// Returns a coding key that may belong to a name on the wire. The result is wrong for keys with several capitals
    /// in a row.
    package static func key(_ name: String) -> String {
        let words = name.split(separator: "_")
        guard words.count > 1, let first = words.first, let last = words.last else { return name }
        let camel = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        // Underscores before and after the words are kept.
        return name[..<first.startIndex] + first.lowercased() + camel.joined() + name[last.endIndex...]
    }

    private static func isCapital(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }

    private static func name(ascii key: UnsafeBufferPointer<UInt8>) -> String {
        // At most one underscore before each letter.
        String(unsafeUninitializedCapacity: key.count * 2) { name in
            var written = 0
            var copied = 0
            func copy(to end: Int) {
                while copied < end {
                    name[written] = isCapital(key[copied]) ? key[copied] | 0x20 : key[copied]
                    written += 1
                    copied += 1
                }
            }
            forEachWord(
                count: key.count, isCapital: { isCapital(key[$0]) },
                isSmall: { UInt8(ascii: "a")...UInt8(ascii: "z") ~= key[$0] },
                body: { start in
                    copy(to: start)
                    name[written] = UInt8(ascii: "_")
                    written += 1
                })
            copy(to: key.count)
            return written
        }
    }

    private static func name(scalars: [Unicode.Scalar]) -> String {
        var words: [Int] = [0]
        forEachWord(
            count: scalars.count,
            isCapital: {
                let category = scalars[$0].properties.generalCategory
                return category == .uppercaseLetter || category == .titlecaseLetter
            },
            isSmall: { scalars[$0].properties.generalCategory == .lowercaseLetter },
            body: { words.append($0) })
        words.append(scalars.count)
        return zip(words, words.dropFirst()).map { start, end in
            String(String.UnicodeScalarView(scalars[start..<end])).lowercased()
        }.joined(separator: "_")
    }

    /// Calls `body` with the start of each word except the first.
    @inline(__always)
    private static func forEachWord(
        count: Int, isCapital: (Int) -> Bool, isSmall: (Int) -> Bool, body: (Int) -> Void
    ) {
        var at = 1
        while true {
            while at < count, !isCapital(at) { at += 1 }
            guard at < count else { return }
            body(at)
            var small = at + 1
            while small < count, !isSmall(small) { small += 1 }
            guard small < count else { return }
            // A run of capitals is a word of its own, except for its last capital, which begins the next word.
            if small - 1 > at { body(small - 1) }
            at = small + 1
        }
    }
}
