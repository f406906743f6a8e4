import CReference

/// The most bytes that were taken of the allocator at once while something ran, on all threads.
enum PeakByteCount {
    /// - Returns: nil where the platform does not weigh.
    static func of(_ body: () async throws -> Void) async rethrows -> Int? {
        let weighs = reference_peak_begin()
        defer { _ = reference_peak_end() }
        try await body()
        return weighs ? Int(reference_peak_end()) : nil
    }
}
