import CReference

/// Counts calls of the allocator from when it is made until it ends, on all threads.
struct AllocationCount {
    /// nil where the platform does not count.
    init?() {
        guard reference_allocations_begin() else { return nil }
    }

    func end() -> UInt64 { reference_allocations_end() }
}
