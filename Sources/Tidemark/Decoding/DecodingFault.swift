/// The reason why a value cannot be decoded, without its path: the path is computed only when an error is made of it.
enum DecodingFault: Error {
    /// The value is of another kind than this type wants.
    case mismatch(any Any.Type)
    /// The value is null, and this type is not optional.
    case null(any Any.Type)
    /// The value is of the right kind but has no meaning as this type; the sentence says what is wanted.
    case corrupted(String)
    /// No Swift value can represent the value. Foundation's decoder reports this as a fault of the whole text, and so
    /// does this one: a program that handles the errors of Foundation's decoder handles these too.
    case unreadable
}
