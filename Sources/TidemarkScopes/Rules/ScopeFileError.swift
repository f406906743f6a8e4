import TidemarkViews

/// Why a file of scopes cannot be used.
///
/// - Source: Protocol/scopes.md, the file.
package struct ScopeFileError: Error, Hashable, Sendable {
    /// The JSON Pointer to the place inside the file, such as `/scopes/project/types/issue/where`; empty for the file
    /// itself.
    package var place: String
    /// What is wrong and what to write instead: the rest of a sentence that begins with the place.
    package var what: String
    /// For an unknown name, the known name that resembles it most; nil if there is none.
    package var nearest: String?

    /// Creates an error.
    package init(_ place: String, _ what: String, nearest: String? = nil) {
        self.place = place
        self.what = what
        self.nearest = nearest
    }

    /// Takes over an error of the parts that read rules.
    init(_ error: ViewRuleError) {
        self.init(error.place, error.what, nearest: error.nearest)
    }

    /// The error in one line.
    package var message: String {
        let subject = place.isEmpty ? "the file of scopes" : "\(place) of the file of scopes"
        return "\(subject) \(what)" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    }
}
