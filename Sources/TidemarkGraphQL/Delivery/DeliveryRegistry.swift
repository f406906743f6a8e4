/// The formats for responses in parts that a client accepts.
///
/// A program adds its own with ``adding(_:)``. The client lists the formats in the header `Accept`, in the order of the
/// registry.
///
/// - Source: Protocol/graphql.md, incremental delivery.
public struct DeliveryRegistry: Sendable {
    /// The formats in order of preference. No two have the same parameter and value.
    public private(set) var formats: [DeliveryFormat]

    /// The standard formats: `deferSpec=20220824` and `incrementalSpec=v0.2`.
    public static let standard = DeliveryRegistry(formats: [.defer20220824, .incremental02])

    /// The largest number of formats: 64.
    public static let countMax = 64

    private init(formats: [DeliveryFormat]) { self.formats = formats }

    /// Returns the registry with another format, preferred to all others. It replaces a format with the same parameter
    /// and value.
    ///
    /// - Precondition: The parameter and the value are HTTP tokens, and fewer than ``countMax`` other formats are
    ///   registered.
    public func adding(_ format: DeliveryFormat) -> DeliveryRegistry {
        precondition(
            DeliveryRegistry.isToken(format.parameter) && DeliveryRegistry.isToken(format.value),
            "\(format.parameter)=\(format.value) cannot be written in a Content-Type")
        let others = formats.filter { !DeliveryRegistry.isSame($0, format.parameter, format.value) }
        precondition(
            others.count < DeliveryRegistry.countMax, "\(others.count) formats are registered: remove one")
        return DeliveryRegistry(formats: [format] + others)
    }

    /// The value of the header `Accept` for queries and mutations.
    package var acceptAnswers: String {
        (formats.map(\.mediaType) + ["application/graphql-response+json", "application/json"])
            .joined(separator: ", ")
    }

    /// The value of the header `Accept` for subscriptions.
    package var acceptSubscriptions: String { DeliveryFormat.subscription1.mediaType }

    /// Returns the format of a multipart type; nil if it names no registered format.
    package func format(of type: MediaType) -> DeliveryFormat? {
        (formats + [.subscription1]).first { format in
            type.parameters[format.parameter.lowercased()].map {
                DeliveryRegistry.isSame(format, format.parameter, $0)
            } ?? false
        }
    }

    private static func isSame(_ format: DeliveryFormat, _ parameter: String, _ value: String) -> Bool {
        format.parameter.lowercased() == parameter.lowercased() && format.value.lowercased() == value.lowercased()
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }
}
