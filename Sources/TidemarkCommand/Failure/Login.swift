/// Hides the user and password in addresses, which no message may show.
enum Login {
    /// Returns the text without the part between `://` and `@` of each address in it.
    ///
    /// The parser of the command line quotes unexpected arguments, and one may be an address.
    static func hidden(in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            // Search for the last `@`: a password may contain one that was not percent-encoded.
            let end = rest.firstIndex { $0.isWhitespace } ?? rest.endIndex
            guard let at = rest[..<end].lastIndex(of: "@") else { continue }
            rest = rest[rest.index(after: at)...]
        }
        return result + rest
    }
}
