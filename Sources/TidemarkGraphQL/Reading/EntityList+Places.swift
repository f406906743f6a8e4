import TidemarkModel

/// Finding lists of entities by their offset in the data.
extension [EntityList] {
    /// Returns the index of the first element for which a condition holds. It must hold for all later elements, too.
    ///
    /// - Complexity: O(log count).
    func partitioningIndex(_ holds: (EntityList) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the list that begins at an offset; nil for a list without entities.
    func list(at offset: Int) -> EntityList? {
        let index = partitioningIndex { $0.offset >= offset }
        return index < count && self[index].offset == offset ? self[index] : nil
    }
}
