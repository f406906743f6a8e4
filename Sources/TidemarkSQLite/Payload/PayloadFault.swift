/// Why a stored entity, query, layer or dictionary cannot be used. It is treated as absent and never served.
public enum PayloadFault: String, Error, Hashable, Sendable, CaseIterable {
    /// Shorter than its own header says.
    case truncated
    /// A format version or codec that this code does not know.
    case unknownFormat = "unknown_format"
    /// The bytes, the stamps or the key are not those that were written together.
    case checksumMismatch = "checksum_mismatch"
    /// Compressed with a dictionary that is not stored, or is damaged.
    case unknownDictionary = "unknown_dictionary"
    /// Declares more than ``PayloadCodec/payloadByteCountMax`` bytes.
    case tooLarge = "too_large"
    /// Asks for a larger window than ``PayloadCodec/windowByteCountMax``.
    case windowTooLarge = "window_too_large"
    /// Gives another number of bytes than it declares.
    case lengthMismatch = "length_mismatch"
    /// The compressed data contradicts itself.
    case notDecodable = "not_decodable"
    /// A key points to a row that is not there.
    case rowMissing = "row_missing"
    /// The library or type of a query or a layer has no name.
    case unnamed
    /// Not a JSON object, or one that nests deeper than ``TidemarkModel/Limits/nestingDepthCeiling``.
    case notJSON = "not_json"
}
