import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads and checks the parameters that several methods have in common.
///
/// A session reads the requests of its host with it, and a recording its steps, which have the same form.
package struct RequestReader: Sendable {
    /// Limits on ids, types and counts.
    package let limits: Limits
    /// The library of requests that name none.
    package let defaultLibrary: ByteString
    /// True if requests that change data must not have unknown parameters. False for recordings, which may be from
    /// another version.
    private let isStrict: Bool

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limits: Limits on ids, types and counts.
    ///   - defaultLibrary: The library of requests that name none.
    ///   - isStrict: True to refuse unknown parameters, for a host's requests; false for recordings.
    package init(limits: Limits, defaultLibrary: ByteString, isStrict: Bool = false) {
        self.limits = limits
        self.defaultLibrary = defaultLibrary
        self.isStrict = isStrict
    }

    /// The maximum number of fields that a read may name: 1,000.
    package static let fieldCountMax = 1_000

    /// True if values are accepted that are refused today but may occur in old recordings.
    package var isLenient: Bool { !isStrict }

    /// Returns the parameters of a request.
    ///
    /// - Parameters:
    ///   - value: The `params`; nil if there are none.
    ///   - known: The names of the parameters without `library_id`; nil accepts unknown ones.
    ///   - method: The method, for errors.
    /// - Throws: ``CacheError`` `invalidParams` if the value is no object, or has unknown members.
    package func params(
        _ value: JSONSlice?, known: [String]?, of method: ByteString
    ) throws(CacheError) -> Params {
        guard let value else { return Params() }
        guard value.kind == .object else {
            throw CacheError(.invalidParams, "params are \(value.kind.rawValue): pass an object, params go by name")
        }
        let params = try Params(value)
        try check(params, known, of: method.description)
        return params
    }

    /// Refuses unknown members of a request or of a part of it, if the reader is strict.
    package func check(_ params: Params, _ known: [String]?, of owner: String) throws(CacheError) {
        guard isStrict, let known else { return }
        try params.refuseUnknown(known + ["library_id"], of: owner)
    }

    /// Returns the library that a request names, or the default library.
    package func library(_ params: Params) throws(CacheError) -> ByteString {
        try optionalLibrary(params) ?? defaultLibrary
    }

    /// Returns the library that a request names; nil if it names none, for methods about every library.
    package func optionalLibrary(_ params: Params) throws(CacheError) -> ByteString? {
        try params.text("library_id", byteCountMax: limits.idByteCountMax)
    }

    /// Returns the entity that a request names.
    package func key(_ params: Params) throws(CacheError) -> EntityKey {
        EntityKey(
            library: try library(params), type: try params.resourceType(limits: limits),
            id: try params.id(limits: limits))
    }

    /// Reads `subscription`, the number of an observer.
    ///
    /// - Parameter wanted: What to pass, for the error.
    package func subscription(_ params: Params, wanted: String) throws(CacheError) -> SubscriptionID {
        guard let number = try params.integer("subscription", in: 0...Int64.max) else {
            throw params.wrong("subscription", wanted)
        }
        return SubscriptionID(number)
    }

    /// Reads `policy`, how a read uses the cache and its upstream; nil if absent.
    package func fetchPolicy(_ params: Params) throws(CacheError) -> FetchPolicy? {
        guard let name = try params.text("policy") else { return nil }
        guard let policy = FetchPolicy(rawValue: name.description) else {
            let names = FetchPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            throw CacheError(.invalidParams, "policy is '\(name)': pass one of \(names)")
        }
        return policy
    }

    /// Reads `after`, the entity before the page; nil starts at the first entity.
    package func place(_ params: Params, type: ByteString, library: ByteString) throws(CacheError) -> EntityKey? {
        let byteCountMax = limits.typeByteCountMax + 1 + limits.idByteCountMax
        guard let text = try params.text("after", byteCountMax: byteCountMax) else { return nil }
        guard let key = EntityKey(text: text, library: library), key.type == type else {
            throw CacheError(.invalidParams, "after is '\(text)': pass `next` of an earlier page, as \(type):id")
        }
        return key
    }
}
