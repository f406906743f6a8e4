/// One of the 4,096 parts of the index of places: a table with open addressing, 12 bytes a slot.
///
/// The slots lie in the order of their tags as far as collisions allow, so a segment grows without hashing a key again.
/// - Source: docs/decisions/0020-past-memory.md.
struct KeySegment {
    /// The share of slots in use at which a segment grows, in hundredths. Probing is linear: at 90 a search that fails
    /// looks at some 50 slots of one table, at 80 at 13.
    private static let loadMax = 85
    private static let capacityMin = 16

    /// The tag of each slot; meaningless where the place is 0.
    private(set) var tags: [UInt64] = []
    /// The place of each slot; 0: the slot is empty.
    private(set) var places: [UInt32] = []
    /// The slots in use.
    private(set) var count = 0

    init() {}

    /// - Parameter count: The tags that will be set: the slots for so many are made at once.
    init(count: Int) {
        guard count > 0 else { return }
        // A sixteenth more, so that the next new key does not make the segment grow.
        let capacity = max(KeySegment.capacityMin, (count + count / 16 + 1) * 100 / KeySegment.loadMax + 1)
        tags = Array(repeating: 0, count: capacity)
        places = Array(repeating: 0, count: capacity)
    }

    /// The bytes of the slots.
    var byteCount: Int { places.count * (MemoryLayout<UInt64>.size + MemoryLayout<UInt32>.size) }

    /// - Complexity: O(1) on average.
    func place(of tag: UInt64) -> BlockPlace? {
        guard let slot = slot(of: tag) else { return nil }
        return BlockPlace(bits: places[slot])
    }

    /// Sets the place of a tag.
    ///
    /// - Returns: The place before; nil when the tag is new.
    /// - Complexity: O(1) on average; O(count) when the segment grows, by a quarter each time.
    mutating func set(_ place: BlockPlace, of tag: UInt64) -> BlockPlace? {
        if let slot = slot(of: tag) {
            defer { places[slot] = place.bits }
            return BlockPlace(bits: places[slot])
        }
        if (count + 1) * 100 > places.count * KeySegment.loadMax { grow() }
        insert(tag, place.bits)
        return nil
    }

    /// Removes a tag, and moves those behind it that its slot kept from their own.
    ///
    /// - Returns: The place; nil when there is none.
    mutating func remove(_ tag: UInt64) -> BlockPlace? {
        guard var hole = slot(of: tag) else { return nil }
        let removed = BlockPlace(bits: places[hole])
        var slot = hole
        while true {
            slot = next(slot)
            if places[slot] == 0 { break }
            // A slot may move into the hole when its home does not lie behind the hole on the way to the slot.
            let home = home(of: tags[slot])
            guard distance(from: home, to: slot) >= distance(from: hole, to: slot) else { continue }
            tags[hole] = tags[slot]
            places[hole] = places[slot]
            hole = slot
        }
        places[hole] = 0
        count -= 1
        return removed
    }

    /// Removes every tag whose place fulfils a condition.
    ///
    /// - Complexity: O(count).
    mutating func removeAll(where isGone: (BlockPlace) -> Bool) {
        var gone: [UInt64] = []
        forEach { tag, place in
            if isGone(place) { gone.append(tag) }
        }
        for tag in gone { _ = remove(tag) }
    }

    /// Calls a function with each tag and place, in no order.
    func forEach(_ body: (UInt64, BlockPlace) -> Void) {
        for (slot, bits) in places.enumerated() {
            if let place = BlockPlace(bits: bits) { body(tags[slot], place) }
        }
    }

    /// Checks that each tag is found from its home, once.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        precondition(tags.count == places.count, "\(tags.count) tags and \(places.count) places")
        precondition(places.count { $0 != 0 } == count, "\(count) slots are in use by the counter")
        precondition(count == 0 || count < places.count, "no slot is empty")
        for (slot, bits) in places.enumerated() where bits != 0 {
            precondition(self.slot(of: tags[slot]) == slot, "slot \(slot) is not found, or its tag is there twice")
        }
    }

    // MARK: Slots

    private func home(of tag: UInt64) -> Int { Int(tag.multipliedFullWidth(by: UInt64(places.count)).high) }

    private func next(_ slot: Int) -> Int { slot + 1 == places.count ? 0 : slot + 1 }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + places.count
    }

    private func slot(of tag: UInt64) -> Int? {
        guard count > 0 else { return nil }
        var slot = home(of: tag)
        while places[slot] != 0 {
            if tags[slot] == tag { return slot }
            slot = next(slot)
        }
        return nil
    }

    private mutating func insert(_ tag: UInt64, _ bits: UInt32) {
        var slot = home(of: tag)
        while places[slot] != 0 { slot = next(slot) }
        tags[slot] = tag
        places[slot] = bits
        count += 1
    }

    private mutating func grow() {
        let (tagsBefore, placesBefore) = (tags, places)
        let capacity = max(KeySegment.capacityMin, placesBefore.count * 5 / 4)
        tags = Array(repeating: 0, count: capacity)
        places = Array(repeating: 0, count: capacity)
        count = 0
        for (slot, bits) in placesBefore.enumerated() where bits != 0 { insert(tagsBefore[slot], bits) }
    }
}
