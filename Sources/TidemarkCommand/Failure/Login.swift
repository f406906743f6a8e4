/// The user and password of an address, which no message may show.
enum Login {
    /// Returns a text without the part between `://` and `@` of each address in it.
    ///
    /// The parser of the command line quotes arguments that it does not expect, and one may be an address.
    static func hidden(in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            // The last sign counts: a password may have one that should have been percent-encoded.
            let end = rest.firstIndex { $0.isWhitespace } ?? rest.endIndex
            guard let at = rest[..<end].lastIndex(of: "@") else { continue }
            rest = rest[rest.index(after: at)...]
        }
        return result + rest
    }
}
