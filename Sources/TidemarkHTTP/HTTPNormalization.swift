import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Where the resources are in a body, what types they have, and which list they form.
///
/// - Source: Protocol/http.md, answers and entities.
package struct HTTPNormalization: Hashable, Sendable {
    /// The resources at one place in a body.
    package struct Group: Hashable, Sendable {
        var resourceType: ByteString
        var pointer: JSONPointer
    }

    var main: Group
    var included: [Group]
    /// The method of the query whose list the resources form; nil for the list of the URL.
    var method: ByteString?
    var input: [UInt8]
    var membership: [UInt8]?
    /// If true, a stored response is fetched again when an event has written one of its entities since.
    package var wantsFreshEntities: Bool
    /// The member `normalize` as the caller wrote it, which is kept with the stored response.
    var spec: [UInt8]

    /// Reads the member `normalize`.
    ///
    /// - Throws: ``CacheError`` `invalidParams`.
    package init(_ params: Params, spec: [UInt8], limits: Limits) throws(CacheError) {
        main = try HTTPNormalization.group(params, limits: limits)
        var included: [Group] = []
        for (index, element) in (try params.elements("included", countMax: 1_000) ?? []).enumerated() {
            let path = "\(params.name("included"))[\(index)]"
            included.append(try HTTPNormalization.group(Params(element, path: path), limits: limits))
        }
        self.included = included
        method = try params.text("method")
        if let method, method.bytes.isEmpty { throw params.wrong("method", "a name that is not empty") }
        input = params.value("input").map { Array($0.bytes) } ?? Array("null".utf8)
        membership = try params.object("membership")
        wantsFreshEntities = try params.flag("fresh_entities")
        self.spec = spec
    }

    /// Reads the member `normalize` that was kept with a stored response.
    package init(spec: [UInt8], limits: Limits) throws(CacheError) {
        try self.init(Params(JSONSlice(compact: spec[...]), path: "normalize"), spec: spec, limits: limits)
    }

    private static func group(_ params: Params, limits: Limits) throws(CacheError) -> Group {
        let text = try params.text("pointer", byteCountMax: 64 * 1024) ?? ""
        guard let pointer = JSONPointer(text.description) else {
            throw params.wrong("pointer", "a JSON Pointer: empty, or /name/0 and so on")
        }
        return Group(resourceType: try params.resourceType(limits: limits), pointer: pointer)
    }

    /// Returns the key of the query whose list the resources form.
    func query(of fetch: HTTPFetch) throws(CacheError) -> QueryKey {
        if let method { return try QueryKey(library: fetch.library, method: method, input: input) }
        return try HTTPNormalization.place(of: fetch)
    }

    /// Returns the key of the list that belongs to a URL alone.
    static func place(of fetch: HTTPFetch) throws(CacheError) -> QueryKey {
        let place: JSONValue = [
            "key": .string(fetch.key.description), "url": .string(fetch.request.url.text.description),
        ]
        return try QueryKey(library: fetch.library, method: HTTPNormalization.listMethod, input: place.bytes)
    }

    /// The method of the queries whose lists belong to a URL alone.
    static let listMethod: ByteString = "http.fetch"

    /// Why a body gives no entities.
    struct Failure: Error, Hashable {
        var message: String
    }

    /// Extracts the resources from a body.
    ///
    /// - Throws: ``Failure`` if the body is not JSON, or a pointer leads nowhere or to something else than resources.
    func result(_ body: [UInt8]) throws(Failure) -> QueryResult {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: body)
        } catch {
            throw Failure(message: "the body is no JSON that can be read")
        }
        var result = QueryResult(resourceType: main.resourceType, resources: try resources(main, in: value))
        for group in included {
            result.included.append(
                .init(resourceType: group.resourceType, resources: try resources(group, in: value)))
        }
        result.membership = membership
        return result
    }

    /// Returns the resources of a body, or why it has none.
    func made(of body: [UInt8]) -> Result<QueryResult, Failure> {
        do throws(Failure) { return .success(try result(body)) } catch { return .failure(error) }
    }

    private func resources(_ group: Group, in value: JSONValue) throws(Failure) -> [[UInt8]] {
        guard let found = value[pointer: group.pointer] else {
            throw Failure(message: "the pointer \(group.pointer) leads nowhere in the body")
        }
        if let elements = found.elements {
            guard elements.allSatisfy({ $0.members != nil }) else {
                throw Failure(message: "the pointer \(group.pointer) leads to an array of other values than objects")
            }
            return elements.map(\.bytes)
        }
        guard found.members != nil else {
            throw Failure(message: "the pointer \(group.pointer) leads to no object and no array")
        }
        return [found.bytes]
    }

    /// Returns the key of the one resource in a body; nil if there is an array or no usable resource.
    func singleEntity(_ body: [UInt8], library: ByteString) -> EntityKey? {
        do {
            let value = try JSONValue(parsing: body)
            guard let found = value[pointer: main.pointer], found.members != nil, let id = found["id"] else {
                return nil
            }
            guard let text = id.string ?? id.number?.text else { return nil }
            return EntityKey(library: library, type: main.resourceType, id: ByteString(text))
        } catch {
            return nil
        }
    }

    /// Returns the keys of all resources in a body, listed and included; those without an id are left out.
    func entities(_ body: [UInt8], library: ByteString) -> [EntityKey] {
        do {
            let value = try JSONValue(parsing: body)
            return ([main] + included).flatMap { group -> [EntityKey] in
                guard let found = value[pointer: group.pointer] else { return [] }
                return (found.elements ?? [found]).compactMap { element in
                    guard let id = element["id"], let text = id.string ?? id.number?.text else { return nil }
                    return EntityKey(library: library, type: group.resourceType, id: ByteString(text))
                }
            }
        } catch {
            return []
        }
    }
}
