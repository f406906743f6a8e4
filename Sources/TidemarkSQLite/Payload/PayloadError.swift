/// Why a stored entity, query, layer or dictionary cannot be used. It counts as absent and is never served.
public enum PayloadError: String, Error, Hashable, Sendable, CaseIterable {
    /// The bytes end before the length that their header declares.
    case truncated
    /// The format version or the codec is unknown.
    case unknownFormat = "unknown_format"
    /// The data is compressed with a codec that this build does not have.
    case codecMissing = "codec_missing"
    /// The checksum does not match: bytes, stamps and key were not written together.
    case checksumMismatch = "checksum_mismatch"
    /// The dictionary that the data was compressed with is not stored, or is damaged.
    case unknownDictionary = "unknown_dictionary"
    /// The declared size is above 16 MiB for an entity, or above the bound of the record.
    case tooLarge = "too_large"
    /// The compressed frame needs a larger window than 2^23 bytes.
    case windowTooLarge = "window_too_large"
    /// The data has another length than the declared one.
    case lengthMismatch = "length_mismatch"
    /// The compressed data contradicts itself.
    case notDecodable = "not_decodable"
    /// A key points to a row that does not exist.
    case rowMissing = "row_missing"
    /// The library or type of a query or a layer has no name.
    case unnamed
    /// The payload is not a JSON object, or nests deeper than ``/TidemarkModel/Limits/nestingDepthCeiling``.
    case notJSON = "not_json"
}
