/// Why a file of keys cannot be used.
package struct TokenKeyError: Error, Hashable, Sendable {
    /// The JSON Pointer to the place in the file, such as `/keys/0/n`; empty for the file itself.
    package var place: String
    /// What is wrong and what to do: the rest of a sentence that begins with the place. It never has a key's value.
    package var what: String

    /// Creates an error.
    package init(_ place: String, _ what: String) {
        self.place = place
        self.what = what
    }

    /// The error in one line.
    package var message: String {
        (place.isEmpty ? "the file of keys" : "\(place) of the file of keys") + " \(what)"
    }
}
