/// Why a line, or a member of a batch, is in quarantine. The raw value is the code on the wire.
///
/// - Source: Protocol/errors.md, "Reasons".
package enum ReferenceReason: String, Sendable, CaseIterable {
    /// The line is longer than `lineByteCountMax`.
    case tooLong = "too_long"
    /// The line is not UTF-8.
    case invalidUTF8 = "invalid_utf8"
    /// More containers are open at once than `nestingMax`.
    case tooDeep = "too_deep"
    /// The line is not JSON.
    case notJSON = "not_json"
    /// A member is missing or has another type than required.
    case badShape = "bad_shape"
    /// A sequence is not an integer from 0 to 2^63-1, or `prev` is not below it.
    case badSequence = "bad_sequence"
    /// The resource type is missing, too long, or has other characters than allowed.
    case badType = "bad_type"
    /// The batch has more members than `batchCountMax`.
    case batchTooLarge = "batch_too_large"
    /// The resource has no usable id.
    case missingID = "missing_id"
    /// The id is longer than `idByteCountMax`.
    case idTooLong = "id_too_long"
    /// The line would create more libraries than `libraryCountMax`.
    case tooManyLibraries = "too_many_libraries"
    /// The entity would be larger than `entityByteCountMax`.
    case tooLarge = "too_large"
}
