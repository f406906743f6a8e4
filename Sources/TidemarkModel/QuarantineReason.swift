/// Why a line, or a member of a batch, cannot be used.
///
/// ```swift
/// print(QuarantineReason.missingID.code)  // missing_id
/// print(QuarantineReason(code: "too_deep") == .tooDeep)  // true
/// ```
///
/// - Source: Protocol/framing.md, order of checks; Protocol/errors.md, reasons.
public enum QuarantineReason: UInt8, Sendable, CaseIterable {
    /// The line is not JSON.
    case notJSON = 1
    /// The line is not UTF-8.
    case invalidUTF8
    /// The line is longer than ``Limits/lineByteCountMax``.
    case tooLong
    /// More containers are open at once than ``Limits/nestingDepthMax``.
    case tooDeep
    /// The resource has no id, or a value that is not an id.
    case missingID
    /// The resource type is missing or has other characters than letters, digits, `_`, `.` and `-`, or there are too
    /// many types.
    case badType
    /// A sequence is not a whole number from 0 to 2^63-1, or `prev` is not below it.
    case badSequence
    /// The line is JSON but not an event.
    case badShape
    /// A batch has more members than ``Limits/batchMemberCountMax``.
    case batchTooLarge
    /// An id or library id is longer than ``Limits/idByteCountMax``.
    case idTooLong
    /// The event would add a library beyond ``Limits/libraryCountMax``.
    case tooManyLibraries
    /// The event would make the entity larger than ``Limits/entityByteCountMax``.
    case tooLarge

    /// The code that people and hosts see, such as `not_json`.
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

    /// Finds the reason of a code.
    ///
    /// - Returns: nil when no reason has the code.
    public init?(code: String) {
        guard let reason = QuarantineReason.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }
}
