/// Why a value cannot be decoded, without its path, which is computed only when an error is made of this.
enum ValueDecodingError: Error {
    /// The value is of another kind than this type requires.
    case mismatch(any Any.Type)
    /// The value is null, and this type is not optional.
    case null(any Any.Type)
    /// The value is of the right kind but is not valid for this type; the text says what is expected.
    case corrupted(String)
    /// No Swift value can represent the value. As in Foundation's decoder this is an error of the whole text, so that a
    /// program that handles the errors of that decoder handles these too.
    case unreadable
}
