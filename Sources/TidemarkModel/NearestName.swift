/// Finds the known name that a misspelt one was probably meant to be.
package enum NearestName {
    /// Returns the nearest known name.
    ///
    /// - Parameter known: Names in ASCII.
    /// - Returns: The known name with the fewest edits, the first of several. nil when more than one letter and more
    ///   than a third of the name would have to change.
    package static func of(_ name: ByteString, among known: [String]) -> String? {
        // A longer name is not a misspelling. The bound also limits the cost.
        guard name.bytes.count <= byteCountMax else { return nil }
        let written = letters(Array(name.bytes))
        var nearest: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(written, letters(Array(candidate.utf8)))
            guard distance <= max(1, candidate.utf8.count / 3), distance < nearest?.distance ?? .max else { continue }
            nearest = (candidate, distance)
        }
        return nearest?.name
    }

    private static let byteCountMax = 64

    /// Removes differences of style, so that `resourceType` equals `resource_type`.
    private static func letters(_ bytes: [UInt8]) -> [UInt8] {
        bytes.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }

    /// Returns how many bytes to insert, remove or replace, or neighbours to exchange.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[right.count]
    }
}
