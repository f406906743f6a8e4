/// The damage that disks do to files. The caller draws the places; each must lie in the bytes.
extension [UInt8] {
    /// The smallest part of a disk that is written at once, in bytes.
    package static let sectorByteCount = 512

    /// Flips one bit of a byte.
    package mutating func flip(bit: Int, at offset: Int) { self[offset] ^= 1 << UInt8(bit) }

    /// Fills a sector with zeros, as far as the bytes reach.
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

    /// Replaces a page by the page of another time, as a write that the disk lost does.
    package mutating func replace(page: Int, from other: [UInt8], of byteCount: Int) {
        let place = page * byteCount..<(page + 1) * byteCount
        replaceSubrange(place, with: other[place])
    }
}
