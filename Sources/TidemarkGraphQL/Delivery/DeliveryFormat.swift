import Tidemark

/// A format in which a server delivers a response in parts, named by a parameter of its `Content-Type`.
///
/// A program supports a format of its own with a ``DeliveryParser``:
///
/// ```swift
/// struct OneItemParser: DeliveryParser {
///     mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep {
///         var step = DeliveryStep()
///         step.data = payload["data"]
///         step.hasNext = payload["more"]?.bool ?? false
///         return step
///     }
/// }
/// let format = DeliveryFormat(parameter: "deliverySpec", value: "1.0") { OneItemParser() }
/// print(format.parameter, format.value)
/// ```
///
/// - Source: Protocol/graphql.md, incremental delivery.
public struct DeliveryFormat: Sendable {
    /// What is delivered in parts.
    package enum Kind: Sendable {
        /// One response in parts, read by a parser.
        case answer(@Sendable () -> any DeliveryParser)
        /// The payloads of a subscription.
        case subscription
    }

    /// The name of the parameter, such as `deferSpec`. Upper and lower case are equal.
    public let parameter: String
    /// The value of the parameter, such as `20220824`.
    public let value: String
    /// What is delivered in this format.
    package let kind: Kind

    /// Creates a format of responses in parts.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter of `multipart/mixed`.
    ///   - value: The value of the parameter.
    ///   - parser: Creates the parser for one response. Called once for each response, on any thread.
    public init(parameter: String, value: String, parser: @escaping @Sendable () -> any DeliveryParser) {
        self.init(parameter: parameter, value: value, kind: .answer(parser))
    }

    private init(parameter: String, value: String, kind: Kind) {
        self.parameter = parameter
        self.value = value
        self.kind = kind
    }

    /// `deferSpec=20220824`: the items in `incremental` have `path`, `data` and `label`.
    public static let defer20220824 = DeliveryFormat(parameter: "deferSpec", value: "20220824") { PathParser() }
    /// `incrementalSpec=v0.2`: `pending` announces fragments, `incremental` refers to them by `id` and `subPath`, and
    /// `completed` ends them.
    public static let incremental02 = DeliveryFormat(parameter: "incrementalSpec", value: "v0.2") { PendingParser() }
    /// `subscriptionSpec=1.0`: each part is a payload of a subscription.
    package static let subscription1 = DeliveryFormat(
        parameter: "subscriptionSpec", value: "1.0", kind: .subscription)

    /// A parser for the payloads that a host sends. Items have an `id` or a `path`.
    package static var hostParser: any DeliveryParser { PendingParser() }

    /// True if the format delivers the payloads of a subscription.
    package var isSubscription: Bool {
        if case .subscription = kind { true } else { false }
    }

    /// The media type of responses in this format.
    package var mediaType: String { "multipart/mixed;\(parameter)=\(value)" }
}

/// A parser for the payloads of one response, which returns for each payload what it adds to the response.
///
/// The cache assembles the response, so that all formats are merged, stored and reported alike. A parser is a pure
/// value.
public protocol DeliveryParser: Sendable {
    /// Reads one payload.
    ///
    /// - Parameter payload: A part of the response. It is never an empty object, which is a heartbeat in every format.
    /// - Throws: ``DeliveryError`` if the payload does not have this format; the response is then unusable.
    mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep
}

/// What one payload adds to a response in parts.
public struct DeliveryStep: Sendable {
    /// Fields to merge into the object at one path.
    public struct Item: Sendable {
        /// The path of the object from the root of `data`: names and indices; empty for the root.
        public var path: [JSONValue]
        /// The fields, as an object. An item is left out if this is not an object, or the path leads to none.
        public var data: JSONValue

        /// Creates an item.
        public init(path: [JSONValue], data: JSONValue) {
            self.path = path
            self.data = data
        }
    }

    /// The payload's own `data`; nil if it has none. After the first `data`, null is ignored.
    public var data: JSONValue?
    /// The items, which are merged in this order after `data`.
    public var items: [Item] = []
    /// Errors to append to those of the response.
    public var errors: [JSONValue] = []
    /// Members to add to `extensions`. Of members with one name the last one counts.
    public var extensions: [JSONMember] = []
    /// The fragments that the server could not deliver.
    public var failed: [DeferredFragment] = []
    /// True if more payloads follow.
    public var hasNext = true

    /// Creates a step that adds nothing, with more payloads to follow.
    public init() {}
}

/// A deferred fragment at one place in the data.
public struct DeferredFragment: Hashable, Sendable {
    /// The path of the object from the root of `data`: names and indices.
    public var path: [JSONValue]
    /// The label of the `@defer` directive; nil if it has none.
    public var label: String?

    /// Names a fragment at one place.
    public init(path: [JSONValue], label: String? = nil) {
        self.path = path
        self.label = label
    }
}

/// Why a payload cannot be part of a response.
public struct DeliveryError: Error, Hashable, Sendable {
    /// One sentence without a full stop.
    public var message: String

    /// Creates an error.
    public init(_ message: String) { self.message = message }
}
