import CReference

/// Counts calls of the allocator on all threads, from its creation to ``end()``.
struct AllocationCount {
    /// Begins to count; nil when the platform cannot count.
    init?() {
        guard reference_allocations_begin() else { return nil }
    }

    func end() -> UInt64 { reference_allocations_end() }
}
