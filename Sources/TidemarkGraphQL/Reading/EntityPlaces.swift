import TidemarkModel

/// Where the entities of a document are in its data, so that the change of one field can be reported without reading
/// the rest.
///
/// Bounded by one place for each entity that the document shows, with one offset for each of its fields.
package struct EntityPlaces: Sendable {
    /// One entity at one path. An entity that is shown twice has two places.
    struct Place: Sendable {
        let key: GraphQLKey
        /// See ``EntityVisit/collection``.
        let collection: Int
        /// The enclosing place; nil if there is none.
        let outer: Int?
        /// The path from the enclosing place.
        fileprivate let steps: Range<Int>
        /// The index of the first offset.
        fileprivate let firstOffset: Int
    }

    private static let noOffset = UInt32.max

    private(set) var places: [Place] = []
    /// The lowest sequence read at each place; nil if none is known. They are separate from the places, because
    /// changing a sequence there would copy the keys.
    private var sequences: [EventSequence?] = []
    private var steps: ResponsePath = []
    private var offsets: [UInt32] = []

    /// Adds a place.
    ///
    /// - Parameters:
    ///   - fieldCount: The number of fields of its collection. None has a value yet.
    ///   - path: The path from the enclosing place.
    /// - Returns: The number of the place.
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

    /// Records the offset of a leaf's value in the data.
    ///
    /// - Parameter field: The number of the leaf in the place's collection.
    mutating func note(_ field: Int, of place: Int, at offset: Int) {
        offsets[places[place].firstOffset + field] = UInt32(clamping: offset)
    }

    mutating func note(_ sequence: EventSequence, of place: Int) {
        sequences[place] = min(sequences[place] ?? sequence, sequence)
    }

    mutating func set(_ sequence: EventSequence?, of place: Int) { sequences[place] = sequence }

    /// Returns the offset of a leaf's value in the data; nil for other fields.
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

    /// Returns the lowest sequence of everything that was read; nil if none is known.
    ///
    /// - Parameter changes: New sequences of places, which replace the recorded ones.
    /// - Complexity: O(places).
    func asOf(with changes: [(place: Int, EventSequence?)]) -> EventSequence? {
        var sequences = sequences
        for (place, sequence) in changes { sequences[place] = sequence }
        return sequences.lazy.compactMap(\.self).min()
    }
}
