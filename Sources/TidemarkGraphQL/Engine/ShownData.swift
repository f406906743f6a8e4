import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The data that an observer saw last: the result of the last read, with the single fields that changed since.
///
/// Bounded by the document's data, and half as much again for changed values.
struct ShownData {
    private struct Edit {
        /// The length of the value in the data as it was read.
        var byteCount: Int
        var value: [UInt8]
    }

    private var base: GraphQLSnapshot
    /// Changed values by their offset in the base.
    private var edits: [Int: Edit] = [:]
    private var editByteCount = 0
    /// The places of the entities in the base; nil if changes can only be found by reading the document again.
    private(set) var places: EntityPlaces?
    /// The places of each entity, ordered by its number.
    private var placesByHandle: [(handle: ListHandle, place: Int)] = []
    /// True if the root fields were stale when the document was read.
    private(set) var isStale = false

    private static let editByteCountMin = 4_096

    init(_ base: GraphQLSnapshot) { self.base = base }

    /// Replaces everything with the data of a run.
    ///
    /// - Parameter handles: The numbers of the entities; empty if the places are unknown.
    /// - Complexity: O(places · log places).
    mutating func replace(
        _ base: GraphQLSnapshot, places: EntityPlaces? = nil, isStale: Bool = false,
        handles: [GraphQLKey: ListHandle] = [:]
    ) {
        self = ShownData(base)
        guard let places else { return }
        self.places = places
        self.isStale = isStale
        placesByHandle = places.places.indices.compactMap { place in
            handles[places.places[place].key].map { ($0, place) }
        }
        placesByHandle.sort { ($0.handle, $0.place) < ($1.handle, $1.place) }
    }

    mutating func forgetPlaces() {
        places = nil
        placesByHandle = []
    }

    /// The data including all changed values.
    ///
    /// - Complexity: O(data) if something changed since it was read.
    var snapshot: GraphQLSnapshot {
        guard !edits.isEmpty else { return base }
        var snapshot = GraphQLSnapshot(data: [])
        snapshot.data.reserveCapacity(base.data.count + editByteCount)
        var at = 0
        var list = 0
        for (offset, edit) in edits.sorted(by: { $0.key < $1.key }) {
            while list < base.lists.count, base.lists[list].offset < offset {
                let moved = base.lists[list].offset - at + snapshot.data.count
                snapshot.lists.append(EntityList(offset: moved, keys: base.lists[list].keys))
                list += 1
            }
            snapshot.data += base.data[at..<offset]
            snapshot.data += edit.value
            at = offset + edit.byteCount
        }
        for rest in base.lists[list...] {
            snapshot.lists.append(EntityList(offset: rest.offset - at + snapshot.data.count, keys: rest.keys))
        }
        snapshot.data += base.data[at...]
        return snapshot
    }

    /// Returns the places of an entity.
    ///
    /// - Complexity: O(log places).
    func places(of handle: ListHandle) -> [Int] {
        var low = 0
        var high = placesByHandle.count
        while low < high {
            let middle = (low + high) / 2
            if placesByHandle[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return placesByHandle[low...].prefix { $0.handle == handle }.map(\.place)
    }

    /// True if the observer saw this value at an offset.
    func shows(_ value: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        if let edit = edits[offset] {
            return edit.value.withUnsafeBytes { JSONText.haveEqualBytes($0, value) }
        }
        return base.data.withUnsafeBytes { bytes in
            // A value that is a prefix of the shown one ends too early.
            guard offset + value.count < bytes.count else { return false }
            let old = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + value.count])
            return JSONText.haveEqualBytes(old, value) && StoredScan.end(bytes, offset) == offset + value.count
        }
    }

    /// Records values that were reported to the observer.
    ///
    /// If there are many, the places are dropped, so that the next change reads the document again. Spread over the
    /// changes before, that costs little.
    mutating func take(_ values: [(offset: Int, value: [UInt8])], sequences: [(place: Int, EventSequence?)]) {
        for (offset, value) in values {
            let known = edits[offset]
            let byteCount = known?.byteCount ?? base.data.withUnsafeBytes { StoredScan.end($0, offset) - offset }
            edits[offset] = Edit(byteCount: byteCount, value: value)
            editByteCount += value.count - (known?.value.count ?? 0)
        }
        for (place, sequence) in sequences { places?.set(sequence, of: place) }
        if editByteCount > max(ShownData.editByteCountMin, base.data.count / 2) { forgetPlaces() }
    }
}
