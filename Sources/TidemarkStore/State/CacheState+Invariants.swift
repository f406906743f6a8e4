extension CacheState {
    /// Traps when entities, or queries and their reverse index, contradict each other.
    ///
    /// - Complexity: O(entities + queries + elements).
    package func checkInvariants() {
        entities.checkInvariants()
        queries.checkInvariants()
        precondition(!queries.unit.isOpen, "a unit was left open")
        precondition(queries.unit.touched.isEmpty && queries.unit.olds.isEmpty, "a unit left something behind")
    }

    /// Keys that lists, observers and slow observers name. Bounded by what they hold.
    package var namedKeyCount: Int { queries.keys.count }
}
