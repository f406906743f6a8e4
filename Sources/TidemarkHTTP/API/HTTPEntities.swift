import Tidemark
import TidemarkModel

/// The entities that the body of an answer stands for.
///
/// They are stored in the transaction of the answer, as those of a query are; a 304 begins their ages anew.
///
/// ```swift
/// let entities = HTTPEntities(resourceType: "photo", pointer: "/photos", method: "photos.all")
/// try await client.fetch(request, normalize: entities)
/// let list = try cache.observe(Photo.self, method: "photos.all")
/// ```
///
/// - Source: Protocol/http.md, answers and entities.
public struct HTTPEntities: Hashable, Sendable {
    /// The resources at one place of a body.
    public struct Group: Hashable, Sendable {
        public var resourceType: String
        /// A JSON Pointer (RFC 6901) to a resource, or to an array of them; empty: the whole body.
        public var pointer: String

        public init(resourceType: String, pointer: String = "") {
            self.resourceType = resourceType
            self.pointer = pointer
        }
    }

    /// The resources of the list.
    public var listed: Group
    /// The method of the query whose list they are; nil: a list of the URL alone.
    public var method: String?
    /// The input of the method.
    public var input: JSONValue
    /// Other resources of the body: stored, but not listed.
    public var included: [Group] = []
    /// The rule that keeps the list up to date, as of a query; nil: none.
    public var membership: JSONValue?
    /// Whether an answer is asked for again, not served, when an event wrote one of its entities since.
    public var wantsFreshEntities = false

    public init(
        resourceType: String, pointer: String = "", method: String? = nil, input: JSONValue = .object([])
    ) {
        listed = Group(resourceType: resourceType, pointer: pointer)
        self.method = method
        self.input = input
    }

    /// - Throws: ``Tidemark/CacheError`` `invalidParams` for a type, pointer or rule that is none.
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
