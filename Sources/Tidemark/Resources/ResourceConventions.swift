#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The forms in which a server writes the resources of one type, where they differ from Swift's.
///
/// ```swift
/// struct Shot: Resource {
///     static let resourceType = "shot"
///     static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
///     var id: String
///     var takenAt: Date  // "taken_at":1714979289
/// }
/// ```
///
/// The conventions apply to the whole resource, nested types included, in both directions. A text that names a field
/// (in patches, rules of queries, ages, indexes) uses the name on the wire.
public struct ResourceConventions: Sendable {
    /// The form of the names of coding keys.
    public enum Names: Sendable {
        /// Names are unchanged.
        case asDeclared
        /// `takenAt` is `taken_at`, `imageURL` is `image_url`. No other spelling is decoded. The keys of dictionaries
        /// with `String` keys are data and unchanged; the keys of other dictionaries are names.
        case snakeCase
    }

    /// The form of dates.
    public enum Dates: Sendable {
        /// A text: `"2024-05-06T07:08:09Z"`, with a fraction of a second when there is one.
        case iso8601
        /// A number of seconds, with a fraction when there is one.
        case secondsSince1970
        /// A number of milliseconds, with a fraction when there is one.
        case millisecondsSince1970
        /// Two functions, each the inverse of the other. They are called on the thread that reads or writes.
        case custom(
            decode: @Sendable (any Decoder) throws -> Date, encode: @Sendable (Date, any Encoder) throws -> Void)
    }

    public var names: Names
    public var dates: Dates

    public init(names: Names = .asDeclared, dates: Dates = .iso8601) {
        self.names = names
        self.dates = dates
    }
}
