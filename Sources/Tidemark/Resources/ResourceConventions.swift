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
///     var takenAt: Date  // "taken_at":1714979289
/// }
/// ```
///
/// The conventions hold for the whole resource, nested types included, in both directions. Whatever names a field by text (patches,
/// rules of queries, ages, indexes) names it as it is on the wire.
public struct ResourceConventions: Sendable {
    /// How the names of coding keys are written.
    public enum Names: Sendable {
        /// As they are.
        case asDeclared
        /// `takenAt` is `taken_at`, `imageURL` is `image_url`. No other spelling is read. Keys of dictionaries with `String`
        /// keys are data and stay as they are; keys of other dictionaries are names.
        case snakeCase
    }

    /// How dates are written.
    public enum Dates: Sendable {
        /// `"2024-05-06T07:08:09Z"`; a fraction of a second is written where there is one.
        case iso8601
        /// A number, with a fraction where there is one.
        case secondsSince1970
        /// A number, with a fraction where there is one.
        case millisecondsSince1970
        /// As two functions say, of which each undoes the other. They are called on whatever thread reads or writes.
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
