/// The reason why a line, or a member of a batch, is in quarantine. The raw value is the code on the wire.
///
/// - Source: Protocol/errors.md, "Reasons".
package enum ReferenceReason: String, Sendable, CaseIterable {
    case tooLong = "too_long"
    case invalidUTF8 = "invalid_utf8"
    case tooDeep = "too_deep"
    case notJSON = "not_json"
    case badShape = "bad_shape"
    case badSequence = "bad_sequence"
    case badType = "bad_type"
    case batchTooLarge = "batch_too_large"
    case missingID = "missing_id"
    case idTooLong = "id_too_long"
    case tooManyLibraries = "too_many_libraries"
    case tooLarge = "too_large"
}
