import CReference

/// Counts calls of the allocator on all threads, from its creation to ``end()``.
struct AllocationCount {
    /// Starts counting; nil if the platform cannot count.
    init?() {
        guard reference_allocations_begin() else { return nil }
    }

    /// Stops counting, and returns the number of calls.
    func end() -> UInt64 { reference_allocations_end() }
}
