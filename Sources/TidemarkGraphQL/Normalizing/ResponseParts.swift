import Tidemark
import TidemarkModel
import TidemarkStore

/// The members of a GraphQL response.
///
/// Every response of a server or a host is parsed here and nowhere else. JSON that is not a GraphQL response is
/// refused, so that the page of a proxy never counts as a response without data.
///
/// - Source: GraphQL, October 2021, section 7.1; Protocol/graphql.md, answers.
package struct ResponseParts: Sendable {
    /// `data` as JSON; null if there is none.
    package var data: [UInt8] = Array("null".utf8)
    /// `errors`; nil if there are none.
    package var errors: JSONSlice?
    /// `extensions`; nil if there are none.
    package var extensions: JSONSlice?
    /// True if more parts follow.
    package var hasNext = false
    /// The deferred fragments that the server reported as failed.
    package var failedFragments: [FailedFragment] = []

    /// A deferred fragment that failed.
    package struct FailedFragment: Hashable, Sendable {
        /// The path of its object, as a JSON array.
        package var path: [UInt8]
        /// The label of the `@defer` directive; nil if it has none.
        package var label: ByteString?

        /// Names a failed fragment.
        package init(path: [UInt8], label: ByteString?) {
            self.path = path
            self.label = label
        }
    }

    /// Creates a response from data of a program, not of a server.
    ///
    /// - Parameters:
    ///   - data: An object or null, as JSON.
    ///   - errors: A list; an empty one counts as none.
    ///   - extensions: The extensions; nil for none.
    ///   - hasNext: True if more parts follow.
    package init(data: [UInt8], errors: JSONSlice?, extensions: JSONSlice? = nil, hasNext: Bool = false) {
        self.data = data
        self.errors = errors.flatMap { $0.bytes.count > 2 ? $0 : nil }
        self.extensions = extensions
        self.hasNext = hasNext
    }

    /// Parses a response from unchecked bytes.
    ///
    /// - Throws: ``ResponseError`` if they are not a GraphQL response.
    /// - Complexity: O(bytes).
    package init(_ bytes: [UInt8]) throws(ResponseError) {
        guard String(validating: bytes, as: UTF8.self) != nil, let outline = JSONOutline(text: bytes) else {
            throw ResponseError(
                code: .notJSON, path: [], message: "is no JSON, or nests too deeply: send one JSON value")
        }
        guard outline.kind(0) == .object else {
            throw ResponseError(code: .wrongShape, path: [], message: "is not in an object: send one with data")
        }
        try self.init(JSONSlice(validated: bytes[...]))
    }

    /// Reads a response from valid JSON.
    ///
    /// - Parameter answer: The response of a server or a host.
    /// - Throws: ``ResponseError`` if it is not a GraphQL response, or has members of the wrong kind.
    package init(_ answer: JSONSlice) throws(ResponseError) {
        guard let members = answer.members else {
            throw ResponseError(code: .wrongShape, path: [], message: "is not in an object: send one with data")
        }
        func member(_ name: String) -> JSONSlice? {
            members[Array(name.utf8)].flatMap { $0.kind == .null ? nil : $0 }
        }
        if let data = member("data") {
            guard data.kind == .object else { throw .dataIsNoObject }
            self.data = Array(data.bytes)
        }
        if let errors = member("errors") {
            guard errors.kind == .array else {
                throw ResponseError(code: .wrongShape, path: [], message: "comes with errors that are no list")
            }
            if errors.bytes.count > 2 { self.errors = errors }
        }
        extensions = member("extensions")
        hasNext = member("hasNext")?.bool ?? false
        try ResponseParts.checkResponse(saysData: members[Array("data".utf8)] != nil, saysErrors: self.errors != nil)
    }

    /// Checks that an object is a GraphQL response: it has `data`, which may be null, or errors.
    static func checkResponse(saysData: Bool, saysErrors: Bool) throws(ResponseError) {
        guard !saysData, !saysErrors else { return }
        throw ResponseError(
            code: .notGraphQL, path: [], message: "is no GraphQL: it has neither data nor errors")
    }

    /// True if `data` is not null.
    package var hasData: Bool { data.first == UInt8(ascii: "{") }
}

extension ResponseError {
    static let dataIsNoObject = ResponseError(
        code: .wrongShape, path: [], message: "is no object: send an object or null")
}
