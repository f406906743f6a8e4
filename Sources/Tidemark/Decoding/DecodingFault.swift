/// Why a value is not what is asked for, without its place: that is found only when somebody wants the error.
enum DecodingFault: Error {
    /// It is of another kind than this type wants.
    case mismatch(any Any.Type)
    /// It is null, and this type is not optional.
    case null(any Any.Type)
    /// It is of the right kind and means nothing: the sentence says what is wanted.
    case corrupted(String)
    /// No Swift value stands for it. Foundation's decoder calls this the whole text's fault, and so do we: who handles its
    /// errors handles these.
    case unreadable
}
