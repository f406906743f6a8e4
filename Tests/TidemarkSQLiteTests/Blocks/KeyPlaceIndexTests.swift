import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The index of keys against a dictionary, under random operations; and what it stores.
@Suite(.pooled) struct KeyPlaceIndexTests {
    /// Returns a hash of a number. Few segments and tags that lie close together make long runs of slots.
    private func hash(_ number: Int, isCrowded: Bool) -> KeyHash {
        var random = SeededGenerator(seed: UInt64(number))
        let (high, low) = (random.next(), random.next())
        guard isCrowded else { return KeyHash(high: high, low: low) }
        // The last tags have their homes in the last slots, so that runs go on at the first slot.
        return KeyHash(high: high & 1 << 63, low: .max - low % 500)
    }

    private func place(_ random: inout SeededGenerator) -> BlockPlace {
        BlockPlace(
            ordinal: 1 + random.below(BlockPlace.ordinalMax), position: random.below(BlockPlace.positionMax + 1))
    }

    @Test(arguments: [false, true], 1...6) func `random changes leave what a dictionary has`(
        isCrowded: Bool, seed: Int
    ) {
        var random = SeededGenerator(seed: UInt64(seed))
        var index = KeyPlaceIndex()
        var model: [KeyHash: BlockPlace] = [:]
        let keyCount = [10, 300, 3_000][random.below(3)]
        let removeShare = 1 + random.below(6)
        var walk = RandomWalk(seed: UInt64(seed))
        while walk.next(of: 6_000) {
            let step = walk.step - 1
            let hash = hash(random.below(keyCount), isCrowded: isCrowded)
            #expect(index[hash] == model[hash], "\(walk)")
            if random.below(10) < removeShare {
                let (removed, wanted) = (index.remove(hash), model.removeValue(forKey: hash))
                #expect(removed == wanted, "\(walk)")
            } else {
                let place = place(&random)
                let (before, wanted) = (index.set(place, of: hash), model.updateValue(place, forKey: hash))
                #expect(before == wanted, "\(walk)")
            }
            if step % 500 == 0 { index.checkInvariants() }
        }
        index.checkInvariants()
        #expect(index.count == model.count)
        for number in 0..<keyCount {
            let hash = hash(number, isCrowded: isCrowded)
            #expect(index[hash] == model[hash], "seed \(seed)")
        }
        var places: [BlockPlace: Int] = [:]
        index.forEachPlace { places[$0, default: 0] += 1 }
        for place in model.values { places[place, default: 0] -= 1 }
        #expect(places.values.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [false, true]) func `stored segments make the same index`(isCrowded: Bool) {
        var random = SeededGenerator(seed: 7)
        var index = KeyPlaceIndex()
        for number in 0..<2_000 { _ = index.set(place(&random), of: hash(number, isCrowded: isCrowded)) }
        var copy = KeyPlaceIndex()
        // What is restored replaces what was there.
        for number in 1_000..<3_000 { _ = copy.set(place(&random), of: hash(number, isCrowded: isCrowded)) }
        for segment in 0..<KeyPlaceIndex.segmentCount {
            // Blocks have other ordinals after the file was opened again.
            let bytes = index.stored(segment: segment, seed: 3) { Int64($0) + 1_000 }
            let stored = StoredSegment(bytes, as: segment, seed: 3)
            let leftOut = stored.flatMap { copy.restore(segment: segment, $0) { Int($0) - 1_000 } }
            #expect(leftOut == [], "segment \(segment)")
        }
        copy.checkInvariants()
        #expect(copy.count == index.count)
        for number in 0..<3_000 {
            let hash = hash(number, isCrowded: isCrowded)
            #expect(copy[hash] == index[hash])
        }
    }

    @Test func `a segment with a flipped bit, cut, longer, or in another's place is refused`() {
        var random = SeededGenerator(seed: 8)
        var segment = KeySegment()
        for _ in 0..<20 { _ = segment.set(place(&random), of: random.next()) }
        let bytes = StoredSegment.bytes(segment, as: 5, seed: 3) { Int64($0) }
        #expect(StoredSegment(bytes, as: 5, seed: 3)?.count == 20)
        #expect(StoredSegment(bytes, as: 6, seed: 3) == nil)
        // Tags mean nothing with another number of the file.
        #expect(StoredSegment(bytes, as: 5, seed: 4) == nil)
        #expect(StoredSegment(bytes + [0], as: 5, seed: 3) == nil)
        for count in 0..<bytes.count { #expect(StoredSegment(Array(bytes.prefix(count)), as: 5, seed: 3) == nil) }
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged.flip(bit: bit % 8, at: bit / 8)
            #expect(StoredSegment(damaged, as: 5, seed: 3) == nil, "bit \(bit)")
        }
    }

    @Test func `a forged segment with a tag twice is refused, and keys of blocks that are gone are left out`() throws {
        var one = KeySegment()
        _ = one.set(BlockPlace(ordinal: 1, position: 2), of: 3)
        let slot = StoredSegment.bytes(one, as: 0, seed: 0) { _ in 77 }.dropFirst(12)
        var index = KeyPlaceIndex()
        func restore(_ bytes: [UInt8]) throws -> [KeyHash]? {
            let stored = try #require(StoredSegment(sealed(bytes), as: 0, seed: 0))
            return index.restore(segment: 0, stored) { $0 == 77 ? 9 : nil }
        }
        #expect(try restore([1, 0, 0, 0] + slot) == [])
        #expect(index[KeyHash(segment: 0, tag: 3)] == BlockPlace(ordinal: 9, position: 2))
        #expect(try restore([2, 0, 0, 0] + slot + slot) == nil)
        #expect(index.count == 1)
        #expect(try restore([1, 0, 0, 0] + slot.prefix(8) + [127, 0, 0, 0, 0, 0]) == [KeyHash(segment: 0, tag: 3)])
        #expect(index.count == 0)
        #expect(StoredSegment(sealed([255, 255, 255, 255] + slot), as: 0, seed: 0) == nil)
    }

    @Test func `the highest number of a block and the last position are stored whole`() throws {
        var one = KeySegment()
        _ = one.set(BlockPlace(ordinal: 1, position: BlockPlace.positionMax), of: .max)
        let stored = try #require(
            StoredSegment(
                StoredSegment.bytes(one, as: 4_095, seed: 0) { _ in BlockPlace.numberMax }, as: 4_095, seed: 0))
        var found: [(UInt64, Int64, Int)] = []
        stored.forEach { found.append(($0, $1, $2)) }
        #expect(found.count == 1)
        #expect(found.first.map { $0 == (.max, BlockPlace.numberMax, BlockPlace.positionMax) } == true)
    }

    /// Returns the bytes of a segment with a check that holds.
    private func sealed(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        let check = bytes.withUnsafeBytes { Checksum.xxh64($0, seed: 0) }
        return (0..<8).map { UInt8(truncatingIfNeeded: check >> UInt64(8 * $0)) } + bytes
    }

    @Test func `a key takes eighteen bytes at most`() {
        var random = SeededGenerator(seed: 9)
        var index = KeyPlaceIndex()
        let count = 200_000
        for _ in 0..<count {
            _ = index.set(place(&random), of: KeyHash(high: random.next(), low: random.next()))
        }
        #expect(index.count == count)
        #expect(Double(index.byteCount) / Double(count) < 18)
    }

    @Test func `the first and the last place are themselves`() {
        for (ordinal, position) in [(1, 0), (BlockPlace.ordinalMax, BlockPlace.positionMax), (77, 126)] {
            let place = BlockPlace(ordinal: ordinal, position: position)
            #expect(place.ordinal == ordinal)
            #expect(place.position == position)
            #expect(BlockPlace(bits: place.bits) == place)
        }
        #expect(BlockPlace(bits: 0) == nil)
        #expect(BlockPlace(bits: 127) == nil)
    }
}
