/// One of the 4,096 parts of the index of places: a table with open addressing, 12 bytes a slot.
///
/// Slots are in the order of their tags as far as collisions allow, so a segment grows without hashing a key again.
///
/// - Source: docs/blocks.md.
struct KeySegment {
    /// The share of used slots at which a segment grows, in hundredths. Probing is linear: at 90 an unsuccessful search
    /// visits some 50 slots, at 80 some 13.
    private static let loadMax = 85
    private static let capacityMin = 16

    /// A slot. Tag and place are adjacent, so that a search waits for one cache line.
    private struct Slot {
        private var low: UInt32 = 0
        private var high: UInt32 = 0
        /// The bits of the place; 0 if the slot is empty, and the tag is meaningless.
        var place: UInt32 = 0

        init() {}

        init(_ tag: UInt64, _ place: UInt32) {
            low = UInt32(truncatingIfNeeded: tag)
            high = UInt32(truncatingIfNeeded: tag >> 32)
            self.place = place
        }

        var tag: UInt64 { UInt64(high) << 32 | UInt64(low) }
        var isEmpty: Bool { place == 0 }
    }

    private var slots: [Slot] = []
    /// The number of used slots.
    private(set) var count = 0

    init() {}

    /// Creates a segment with room for a number of tags.
    init(count: Int) {
        guard count > 0 else { return }
        // A sixteenth more, so that the next new key does not grow the segment.
        let capacity = max(KeySegment.capacityMin, (count + count / 16 + 1) * 100 / KeySegment.loadMax + 1)
        slots = Array(repeating: Slot(), count: capacity)
    }

    /// The bytes of the slots.
    var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

    /// Returns the place of a tag; nil when the tag is not set.
    ///
    /// - Complexity: O(1) on average.
    func place(of tag: UInt64) -> BlockPlace? {
        guard let slot = slot(of: tag) else { return nil }
        return BlockPlace(bits: slots[slot].place)
    }

    /// Sets the place of a tag.
    ///
    /// - Returns: The place before; nil when the tag is new.
    /// - Complexity: O(1) on average; O(count) when the segment grows, by a quarter each time.
    mutating func set(_ place: BlockPlace, of tag: UInt64) -> BlockPlace? {
        if let slot = slot(of: tag) {
            defer { slots[slot].place = place.bits }
            return BlockPlace(bits: slots[slot].place)
        }
        if (count + 1) * 100 > slots.count * KeySegment.loadMax { grow() }
        insert(tag, place.bits)
        return nil
    }

    /// Removes a tag, and moves later tags into the free slot if it is closer to their home.
    ///
    /// - Returns: The place of the tag; nil when it was not set.
    mutating func remove(_ tag: UInt64) -> BlockPlace? {
        guard var hole = slot(of: tag) else { return nil }
        let removed = BlockPlace(bits: slots[hole].place)
        var slot = hole
        while true {
            slot = next(slot)
            if slots[slot].isEmpty { break }
            // A slot may move into the hole unless its home is between the hole and the slot.
            let home = home(of: slots[slot].tag)
            guard distance(from: home, to: slot) >= distance(from: hole, to: slot) else { continue }
            slots[hole] = slots[slot]
            hole = slot
        }
        slots[hole] = Slot()
        count -= 1
        return removed
    }

    /// Removes every tag whose place meets a condition.
    ///
    /// - Complexity: O(count).
    mutating func removeAll(where isGone: (BlockPlace) -> Bool) {
        var gone: [UInt64] = []
        forEach { tag, place in
            if isGone(place) { gone.append(tag) }
        }
        for tag in gone { _ = remove(tag) }
    }

    /// Calls a closure with each tag and place, in no order.
    func forEach(_ body: (UInt64, BlockPlace) -> Void) {
        for slot in slots {
            if let place = BlockPlace(bits: slot.place) { body(slot.tag, place) }
        }
    }

    /// Checks that each tag is found from its home, once.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        precondition(slots.count { !$0.isEmpty } == count, "\(count) slots are in use by the counter")
        precondition(count == 0 || count < slots.count, "no slot is empty")
        for (index, slot) in slots.enumerated() where !slot.isEmpty {
            precondition(self.slot(of: slot.tag) == index, "slot \(index) is not found, or its tag is there twice")
        }
    }

    // MARK: Slots

    private func home(of tag: UInt64) -> Int { Int(tag.multipliedFullWidth(by: UInt64(slots.count)).high) }

    private func next(_ slot: Int) -> Int { slot + 1 == slots.count ? 0 : slot + 1 }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + slots.count
    }

    private func slot(of tag: UInt64) -> Int? {
        guard count > 0 else { return nil }
        var slot = home(of: tag)
        while !slots[slot].isEmpty {
            if slots[slot].tag == tag { return slot }
            slot = next(slot)
        }
        return nil
    }

    private mutating func insert(_ tag: UInt64, _ bits: UInt32) {
        var slot = home(of: tag)
        while !slots[slot].isEmpty { slot = next(slot) }
        slots[slot] = Slot(tag, bits)
        count += 1
    }

    private mutating func grow() {
        let before = slots
        slots = Array(repeating: Slot(), count: max(KeySegment.capacityMin, before.count * 5 / 4))
        count = 0
        for slot in before where !slot.isEmpty { insert(slot.tag, slot.place) }
    }
}
