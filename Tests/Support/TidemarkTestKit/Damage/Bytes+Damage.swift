import TidemarkTesting

/// The damage that disks and transports do to bytes. Tests damage bytes only with this code. Each offset must be within
/// the bytes.
extension [UInt8] {
    /// The smallest unit that a disk writes atomically, in bytes.
    package static let sectorByteCount = 512

    /// Flips one bit of a byte.
    package mutating func flip(bit: Int, at offset: Int) { self[offset] ^= 1 << UInt8(bit) }

    /// Flips a random bit in a random byte.
    ///
    /// - Parameter range: The bytes to choose from, not empty; nil for all.
    package mutating func flipBit(in range: Range<Int>? = nil, _ random: inout SeededGenerator) {
        let range = range ?? indices
        let offset = range.lowerBound + random.below(range.count)
        flip(bit: random.below(8), at: offset)
    }

    /// Flips the lowest bit of the byte at an offset within the first occurrence of a text.
    ///
    /// - Returns: False if the text does not occur; then nothing changed.
    /// - Complexity: O(count · text.count).
    package mutating func flip(in text: String, at offset: Int = 0) -> Bool {
        let wanted = Array(text.utf8)
        guard count >= wanted.count,
            let place = (0...count - wanted.count).first(where: { self[$0...].starts(with: wanted) })
        else { return false }
        flip(bit: 0, at: place + offset)
        return true
    }

    /// All copies that differ in one bit, in the order of the bits.
    package var withOneBitFlipped: some Sequence<[UInt8]> {
        (0..<count * 8).lazy.map { bit in
            var copy = self
            copy.flip(bit: bit % 8, at: bit / 8)
            return copy
        }
    }

    /// Damages bytes like a bad transport: flips a bit, or replaces, removes, cuts off or repeats a piece.
    package mutating func spoil(_ random: inout SeededGenerator) {
        guard !isEmpty else { return }
        let index = random.below(count)
        switch random.below(5) {
        case 0: flip(bit: random.below(8), at: index)
        case 1: self[index] = UInt8(random.below(256))
        case 2: removeSubrange(index..<Swift.min(count, index + 1 + random.below(8)))
        case 3: removeLast(count - index)
        default:
            let piece = Array(self[index..<Swift.min(count, index + 1 + random.below(20))])
            insert(contentsOf: piece, at: random.below(count))
        }
    }

    /// Fills a sector with zeros, up to the end of the bytes.
    package mutating func zero(sector: Int) {
        let start = sector * Self.sectorByteCount
        for offset in start..<Swift.min(start + Self.sectorByteCount, count) { self[offset] = 0 }
    }

    /// Exchanges two pages.
    package mutating func exchange(page left: Int, with right: Int, of byteCount: Int) {
        let places = [left, right].map { $0 * byteCount..<($0 + 1) * byteCount }
        let (first, second) = (Array(self[places[0]]), Array(self[places[1]]))
        replaceSubrange(places[0], with: second)
        replaceSubrange(places[1], with: first)
    }

    /// Replaces a page by that of another version, like a write that the disk lost.
    package mutating func replace(page: Int, from other: [UInt8], of byteCount: Int) {
        let place = page * byteCount..<(page + 1) * byteCount
        replaceSubrange(place, with: other[place])
    }
}
