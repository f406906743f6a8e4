import Tidemark

/// A form in which a server delivers an answer in parts, distinguished by a parameter of its `Content-Type`.
///
/// - Source: Protocol/graphql.md, incremental delivery.
public struct DeliveryFormat: Sendable {
    /// The kinds of what comes in parts.
    package enum Kind: Sendable {
        /// Parts of one answer.
        case answer(@Sendable () -> any DeliveryParser)
        /// Payloads of a subscription.
        case subscription
    }

    /// The name of the parameter, such as `deferSpec`. Compared without regard to case.
    public let parameter: String
    /// The value of the parameter, such as `20220824`.
    public let value: String
    package let kind: Kind

    /// Makes a form of answers.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter of `multipart/mixed` that names the form.
    ///   - value: The parameter's value.
    ///   - parser: Makes the reader of one answer's payloads. Called once for each answer, on any thread.
    public init(parameter: String, value: String, parser: @escaping @Sendable () -> any DeliveryParser) {
        self.init(parameter: parameter, value: value, kind: .answer(parser))
    }

    private init(parameter: String, value: String, kind: Kind) {
        self.parameter = parameter
        self.value = value
        self.kind = kind
    }

    /// Items with `path`, `data` and `label` in `incremental`.
    public static let defer20220824 = DeliveryFormat(parameter: "deferSpec", value: "20220824") { PathParser() }
    /// `pending` names fragments, `incremental` refers to them by `id` and `subPath`, `completed` ends them.
    public static let incremental02 = DeliveryFormat(parameter: "incrementalSpec", value: "v0.2") { PendingParser() }
    /// Each part is a payload of a subscription.
    package static let subscription1 = DeliveryFormat(
        parameter: "subscriptionSpec", value: "1.0", kind: .subscription)

    /// The reader of payloads that a host sends: by path, or by id where items have one.
    package static var hostParser: any DeliveryParser { PendingParser() }

    package var isSubscription: Bool {
        if case .subscription = kind { true } else { false }
    }

    /// The media type that a server gives an answer of this form.
    package var mediaType: String { "multipart/mixed;\(parameter)=\(value)" }
}

/// The reader of one answer's payloads: it says for each of them what it changes in the answer so far.
///
/// A pure value. The cache assembles the answer, so that all forms are merged, stored and reported alike.
public protocol DeliveryParser: Sendable {
    /// Reads a payload.
    ///
    /// - Parameter payload: One part of the answer; never an empty object, which is a heartbeat in every form.
    /// - Throws: ``DeliveryFault`` when it is of another form: the answer cannot be used then.
    mutating func read(_ payload: JSONValue) throws(DeliveryFault) -> DeliveryStep
}

/// The changes that one payload makes in the answer so far.
public struct DeliveryStep: Sendable {
    /// Fields to be merged into the object at one place.
    public struct Item: Sendable {
        /// Names and indices from the root of `data`; empty for the root.
        public var path: [JSONValue]
        /// An object; anything else is left out, as an item is whose path leads to no object.
        public var data: JSONValue

        public init(path: [JSONValue], data: JSONValue) {
            self.path = path
            self.data = data
        }
    }

    /// The answer's own `data`; nil when the payload has none. Once some has come, null says nothing.
    public var data: JSONValue?
    /// Merged in this order, after `data`.
    public var items: [Item] = []
    /// Appended to the errors of the answer.
    public var errors: [JSONValue] = []
    /// Members of `extensions`; the last one of a name counts.
    public var extensions: [JSONMember] = []
    /// The fragments whose data will not come.
    public var failed: [DeferredFragment] = []
    /// Whether more payloads follow.
    public var hasNext = true

    public init() {}
}

/// A deferred fragment at one place of an answer.
public struct DeferredFragment: Hashable, Sendable {
    /// Names and indices from the root of `data`.
    public var path: [JSONValue]
    public var label: String?

    public init(path: [JSONValue], label: String? = nil) {
        self.path = path
        self.label = label
    }
}

/// An error of a payload that is no part of an answer.
public struct DeliveryFault: Error, Hashable, Sendable {
    /// One sentence without a full stop.
    public var message: String

    public init(_ message: String) { self.message = message }
}
