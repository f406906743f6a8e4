/// Formats a number with its noun for a sentence: `1 row`, `12 rows`.
///
/// - Parameters:
///   - one: The noun in the singular.
///   - many: The noun in the plural; nil means the singular with an s.
func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}
