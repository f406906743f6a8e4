import Tidemark
import TidemarkModel

/// Where the entities are in the body of a response, and the list that they form.
///
/// They are stored in the transaction of the response, as the entities of a query are. A 304 renews their ages.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var stars: Int
/// }
/// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
/// _ = try await client.fetch(
///     .init(method: .get, scheme: "https", authority: "example.com", path: "/photos"),
///     normalize: HTTPEntities(resourceType: "photo", pointer: "/photos", method: "photos.all"))
/// let photos = try await cache.query(Photo.self, method: "photos.all", policy: .cacheOnly)
/// print(photos.items.count)
/// ```
///
/// - Source: Protocol/http.md, answers and entities.
public struct HTTPEntities: Hashable, Sendable {
    /// The resources at one place in a body.
    public struct Group: Hashable, Sendable {
        /// The type of the resources.
        public var resourceType: String
        /// A JSON Pointer (RFC 6901) to one resource or to an array of resources. An empty pointer means the whole
        /// body.
        public var pointer: String

        /// Creates a group of resources of one type.
        public init(resourceType: String, pointer: String = "") {
            self.resourceType = resourceType
            self.pointer = pointer
        }
    }

    /// The resources that form the list.
    public var listed: Group
    /// The method of the query whose list the resources form; nil for a list that belongs to the URL alone.
    public var method: String?
    /// The input of the query. Used only with a ``method``.
    public var input: JSONValue
    /// Further resources of the body, which are stored but not listed.
    public var included: [Group] = []
    /// The rule that keeps the list up to date, as in a query; nil for none.
    public var membership: JSONValue?
    /// If true, a stored response is fetched again, not served, when an event has written one of its entities since.
    public var wantsFreshEntities = false

    /// Creates a description of the entities at one place in a body.
    ///
    /// - Parameters:
    ///   - resourceType: The type of the listed resources.
    ///   - pointer: A JSON Pointer to a resource or an array of resources; empty for the whole body.
    ///   - method: The method of the query whose list they form; nil for a list of the URL.
    ///   - input: The input of that query.
    public init(
        resourceType: String, pointer: String = "", method: String? = nil, input: JSONValue = .object([])
    ) {
        listed = Group(resourceType: resourceType, pointer: pointer)
        self.method = method
        self.input = input
    }

    /// Returns the description in the form of the member `normalize`.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidParams` for an invalid type, pointer or rule.
    func normalization(limits: Limits) throws(CacheError) -> HTTPNormalization {
        var members = HTTPEntities.members(listed)
        if let method {
            members.append(JSONMember("method", .string(method)))
            members.append(JSONMember("input", input))
        }
        if !included.isEmpty {
            members.append(JSONMember("included", .array(included.map { .object(HTTPEntities.members($0)) })))
        }
        if let membership { members.append(JSONMember("membership", membership)) }
        if wantsFreshEntities { members.append(JSONMember("fresh_entities", .bool(true))) }
        return try HTTPNormalization(spec: JSONValue.object(members).bytes, limits: limits)
    }

    private static func members(_ group: Group) -> [JSONMember] {
        [
            JSONMember("resource_type", .string(group.resourceType)),
            JSONMember("pointer", .string(group.pointer)),
        ]
    }
}
