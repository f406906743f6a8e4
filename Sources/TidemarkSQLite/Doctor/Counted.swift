/// `1 row`, `12 rows`: a number with its noun, for sentences.
///
/// - Parameter many: nil: the noun with an s.
func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}
