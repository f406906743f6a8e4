import TidemarkModel

/// The places of the entities of a document in its data, so that a change of one field is told without reading the
/// rest.
///
/// Bound: one place for each entity that the document shows, with one offset for each of its fields.
package struct EntityPlaces: Sendable {
    /// One entity at one path; an entity that is shown twice has two places.
    struct Place: Sendable {
        let key: GraphKey
        /// See ``EntityVisit/collection``.
        let collection: Int
        /// The place around it; nil when there is none.
        let outer: Int?
        /// The steps from that place.
        fileprivate let steps: Range<Int>
        /// The index of its first offset.
        fileprivate let firstOffset: Int
    }

    private static let noOffset = UInt32.max

    private(set) var places: [Place] = []
    /// The least of the sequences of what was read of each place; nil when none is known. Not in the places: whoever
    /// changes a sequence would copy their keys.
    private var sequences: [EventSequence?] = []
    private var steps: ResponsePath = []
    private var offsets: [UInt32] = []

    /// Adds a place.
    ///
    /// - Parameters:
    ///   - fieldCount: The fields of its collection; none has a value yet.
    ///   - path: The steps from the place around it.
    /// - Returns: Its number.
    mutating func open(
        _ visit: EntityVisit, fieldCount: Int, path: ArraySlice<ResponseStep>, outer: Int?
    ) -> Int {
        places.append(
            Place(
                key: visit.key, collection: visit.collection, outer: outer,
                steps: steps.count..<steps.count + path.count, firstOffset: offsets.count))
        sequences.append(nil)
        steps += path
        offsets.append(contentsOf: repeatElement(EntityPlaces.noOffset, count: fieldCount))
        return places.count - 1
    }

    /// Notes where the value of a leaf begins in the data.
    ///
    /// - Parameter field: Its number in the place's collection.
    mutating func note(_ field: Int, of place: Int, at offset: Int) {
        offsets[places[place].firstOffset + field] = UInt32(clamping: offset)
    }

    mutating func note(_ sequence: EventSequence, of place: Int) {
        sequences[place] = min(sequences[place] ?? sequence, sequence)
    }

    mutating func set(_ sequence: EventSequence?, of place: Int) { sequences[place] = sequence }

    /// Returns where the value of a leaf begins in the data; nil for a field that is no leaf.
    func offset(_ field: Int, of place: Int) -> Int? {
        let offset = offsets[places[place].firstOffset + field]
        return offset == EntityPlaces.noOffset ? nil : Int(offset)
    }

    /// Returns the path of a place from the root.
    ///
    /// - Complexity: O(steps).
    func path(of place: Int) -> ResponsePath {
        var parts: [Range<Int>] = []
        var next: Int? = place
        while let index = next {
            parts.append(places[index].steps)
            next = places[index].outer
        }
        return parts.reversed().flatMap { steps[$0] }
    }

    /// Returns the least of the sequences of everything that was read; nil when none is known.
    ///
    /// - Parameter changes: Places with the sequences that they will have.
    /// - Complexity: O(places).
    func asOf(with changes: [(place: Int, EventSequence?)]) -> EventSequence? {
        var sequences = sequences
        for (place, sequence) in changes { sequences[place] = sequence }
        return sequences.lazy.compactMap(\.self).min()
    }
}
