#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a server writes the resources of one type, where that differs from Swift.
///
/// ```swift
/// struct Shot: Resource {
///     static let resourceType = "shot"
///     static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
///     var id: String
///     var cameraModel: String?  // "camera_model":"M6"
/// }
/// ```
///
/// The conventions apply to the whole resource, nested types included, in both directions. Text that names a field, as
/// in patches, rules of queries, age limits and indexes, uses the name on the wire.
public struct ResourceConventions: Sendable {
    /// How the server writes the names of coding keys.
    public enum Names: Sendable {
        /// Names are unchanged.
        case asDeclared
        /// `takenAt` is `taken_at`, and `imageURL` is `image_url`; no other spelling is decoded. The keys of
        /// dictionaries with `String` keys are data and unchanged; those of other dictionaries are names.
        case snakeCase
    }

    /// How the server writes dates.
    public enum Dates: Sendable {
        /// A string such as `"2024-05-06T07:08:09Z"`, with a fraction of a second when there is one.
        case iso8601
        /// A number of seconds, with a fraction when there is one.
        case secondsSince1970
        /// A number of milliseconds, with a fraction when there is one.
        case millisecondsSince1970
        /// Two functions, each the inverse of the other. They are called on the thread that reads or writes.
        case custom(
            decode: @Sendable (any Decoder) throws -> Date, encode: @Sendable (Date, any Encoder) throws -> Void)
    }

    /// How the server writes the names of coding keys.
    public var names: Names
    /// How the server writes dates.
    public var dates: Dates

    /// Makes conventions; the defaults are those of `Resource.conventions`.
    public init(names: Names = .asDeclared, dates: Dates = .iso8601) {
        self.names = names
        self.dates = dates
    }
}
