/// The reason why a line, or a member of a batch, could not be used.
///
/// - Source: Protocol/errors.md, reasons.
public enum QuarantineReason: UInt8, Sendable, CaseIterable {
    case notJSON = 1
    case invalidUTF8
    case tooLong
    case tooDeep
    case missingID
    case badType
    case badSequence
    case badShape
    case batchTooLarge
    case idTooLong
    case tooManyLibraries
    /// The event would make the entity larger than ``Limits/entityByteCountMax``.
    case tooLarge

    /// The code that people and hosts see.
    public var code: String {
        switch self {
        case .notJSON: "not_json"
        case .invalidUTF8: "invalid_utf8"
        case .tooLong: "too_long"
        case .tooDeep: "too_deep"
        case .missingID: "missing_id"
        case .badType: "bad_type"
        case .badSequence: "bad_sequence"
        case .badShape: "bad_shape"
        case .batchTooLarge: "batch_too_large"
        case .idTooLong: "id_too_long"
        case .tooManyLibraries: "too_many_libraries"
        case .tooLarge: "too_large"
        }
    }

    public init?(code: String) {
        guard let reason = QuarantineReason.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}
