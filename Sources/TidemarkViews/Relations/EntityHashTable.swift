import TidemarkModel

/// Finds the number of an entity by its key, for ``EntityTable``, which has the keys by number.
///
/// The keys are not stored a second time: a place is the number and half of the key's hash. A dictionary of a million
/// keys takes four times as much memory, and most of the time of filling a view was spent in waiting for it.
///
/// - Complexity: Every operation is O(1) expected.
struct EntityHashTable: Sendable {
    /// The hash of each place in the upper half, the number in the lower one; 0 for a free place. Open addressing with
    /// linear probing; at most three quarters are taken.
    private var places: [UInt64] = []
    /// How many numbers the table has.
    private(set) var count = 0
    /// Differs from process to process, so that no input can be made whose keys all have one hash.
    private let seed: UInt64

    init() { seed = UInt64(bitPattern: Int64(Hasher().finalize())) }

    /// The number of a key; nil if the table does not have it.
    ///
    /// - Parameter keys: The keys by number.
    func number(of key: ViewKey, _ keys: [ViewKey]) -> EntityNumber? {
        guard count > 0 else { return nil }
        let hash = hash(key)
        var at = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[at] != 0 {
            let number = EntityNumber(truncatingIfNeeded: places[at])
            if places[at] >> 32 == hash, keys[Int(number)] == key { return number }
            at = (at + 1) & (places.count - 1)
        }
        return nil
    }

    /// Adds a number whose key the table does not have.
    mutating func insert(_ number: EntityNumber, _ keys: [ViewKey]) {
        if (count + 1) * 4 > places.count * 3 { grow() }
        place(hash(keys[Int(number)]) << 32 | UInt64(number))
        count += 1
    }

    /// Removes a number that the table has.
    mutating func remove(_ number: EntityNumber, _ keys: [ViewKey]) {
        let mask = places.count - 1
        var free = Int(truncatingIfNeeded: hash(keys[Int(number)])) & mask
        while EntityNumber(truncatingIfNeeded: places[free]) != number {
            // No input reaches it: only numbers in the table are removed.
            precondition(places[free] != 0, "entity \(number) is not in the table")
            free = (free + 1) & mask
        }
        count -= 1
        // What is behind the free place and was pushed over it moves forward.
        var at = (free + 1) & mask
        while places[at] != 0 {
            let home = Int(truncatingIfNeeded: places[at] >> 32) & mask
            if (at - home) & mask >= (at - free) & mask {
                places[free] = places[at]
                free = at
            }
            at = (at + 1) & mask
        }
        places[free] = 0
    }

    private mutating func grow() {
        let former = places
        places = [UInt64](repeating: 0, count: max(16, former.count * 2))
        for entry in former where entry != 0 { place(entry) }
    }

    private mutating func place(_ entry: UInt64) {
        var at = Int(truncatingIfNeeded: entry >> 32) & (places.count - 1)
        while places[at] != 0 { at = (at + 1) & (places.count - 1) }
        places[at] = entry
    }

    /// The hash of a key: 32 bits, of which the lower ones are the place.
    private func hash(_ key: ViewKey) -> UInt64 {
        var state = seed
        EntityHashTable.mix(key.type, &state)
        EntityHashTable.mix(key.id, &state)
        return state >> 32
    }

    private static func mix(_ text: ByteString, _ state: inout UInt64) {
        text.bytes.withUnsafeBytes { bytes in
            state = fold(state ^ UInt64(truncatingIfNeeded: bytes.count), 0x9E37_79B9_7F4A_7C15)
            var at = 0
            while at + 8 <= bytes.count {
                state = fold(state ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self), 0xD6E8_FEB8_6659_FD93)
                at += 8
            }
            guard at < bytes.count else { return }
            var rest: UInt64 = 0
            while at < bytes.count {
                rest = rest << 8 | UInt64(bytes[at])
                at += 1
            }
            state = fold(state ^ rest, 0xA076_1D64_78BD_642F)
        }
    }

    /// The two halves of a product, laid over each other: every bit of both factors has an effect on every bit.
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low ^ left
    }

    /// The bytes that the table takes.
    var byteCount: Int { places.capacity * 8 }
}
