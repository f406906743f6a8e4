/// Why the rule of a view, or the parameters of its use, cannot be used.
package struct ViewRuleError: Error, Hashable, Sendable {
    /// The JSON Pointer to the place inside the rule, such as `/joins/0/on`; empty for the rule itself. For parameters,
    /// the pointer into their object.
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

    /// The error in one line.
    package var message: String {
        let subject = place.isEmpty ? "the view" : "\(place) of the view"
        return "\(subject) \(what)" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    }
}
