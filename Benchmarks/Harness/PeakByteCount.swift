import CReference

/// The maximum number of bytes that were allocated at once while a function ran, on all threads.
enum PeakByteCount {
    /// Runs a function, and measures its peak.
    ///
    /// - Returns: The maximum; nil if the platform cannot measure it.
    static func of(_ body: () async throws -> Void) async rethrows -> Int? {
        let weighs = reference_peak_begin()
        defer { _ = reference_peak_end() }
        try await body()
        return weighs ? Int(reference_peak_end()) : nil
    }
}
