import TidemarkModel

/// Lists of entities by their place in the data.
extension [EntityList] {
    /// Returns the index of the first element that fulfils a condition which holds from there on.
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

    /// Returns the list that begins at a place; nil for one without entities.
    func list(at offset: Int) -> EntityList? {
        let index = partitioningIndex { $0.offset >= offset }
        return index < count && self[index].offset == offset ? self[index] : nil
    }
}
