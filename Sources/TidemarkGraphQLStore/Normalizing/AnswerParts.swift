import Tidemark
import TidemarkModel
import TidemarkStore

/// The members of an answer.
///
/// What a server or a host said is read here and nowhere else, whichever way it came: JSON that is no answer of GraphQL
/// is refused, so that nobody takes a proxy's page for an answer without data.
///
/// - Source: GraphQL, October 2021, section 7.1; Protocol/graphql.md, answers.
package struct AnswerParts: Sendable {
    /// `data` as JSON; null when there is none.
    package var data: [UInt8] = Array("null".utf8)
    /// `errors`; nil when there are none.
    package var errors: JSONSlice?
    package var extensions: JSONSlice?
    /// More parts follow.
    package var hasNext = false
    /// The deferred fragments of which the server said that their data will not come.
    package var failedFragments: [FailedFragment] = []

    /// A deferred fragment that failed.
    package struct FailedFragment: Hashable, Sendable {
        /// The place of its object, as a JSON array.
        package var path: [UInt8]
        package var label: ByteString?

        package init(path: [UInt8], label: ByteString?) {
            self.path = path
            self.label = label
        }
    }

    /// Makes an answer of what a program says, not a server.
    ///
    /// - Parameter data: An object, or null.
    package init(data: [UInt8], errors: JSONSlice?, extensions: JSONSlice? = nil, hasNext: Bool = false) {
        self.data = data
        self.errors = errors.flatMap { $0.bytes.count > 2 ? $0 : nil }
        self.extensions = extensions
        self.hasNext = hasNext
    }

    /// Reads an answer from bytes that nobody has checked.
    ///
    /// - Throws: ``AnswerFault`` when they are no answer of GraphQL.
    /// - Complexity: O(bytes).
    package init(_ bytes: [UInt8]) throws(AnswerFault) {
        guard String(validating: bytes, as: UTF8.self) != nil, let outline = JSONOutline(text: bytes) else {
            throw AnswerFault(code: .notJSON, path: [], message: "is no JSON, or nests too deeply: send one JSON value")
        }
        guard outline.kind(0) == .object else {
            throw AnswerFault(code: .wrongShape, path: [], message: "is not in an object: send one with data")
        }
        try self.init(JSONSlice(validated: bytes[...]))
    }

    /// - Parameter answer: What a server or a host said.
    /// - Throws: ``AnswerFault`` when it is no answer of GraphQL, and for members that cannot be used.
    package init(_ answer: JSONSlice) throws(AnswerFault) {
        guard let members = answer.members else {
            throw AnswerFault(code: .wrongShape, path: [], message: "is not in an object: send one with data")
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
                throw AnswerFault(code: .wrongShape, path: [], message: "comes with errors that are no list")
            }
            if errors.bytes.count > 2 { self.errors = errors }
        }
        extensions = member("extensions")
        hasNext = member("hasNext")?.bool ?? false
        try AnswerParts.checkResponse(saysData: members[Array("data".utf8)] != nil, saysErrors: self.errors != nil)
    }

    /// Decides whether an object is an answer of GraphQL: it says `data`, be it null, or it lists errors.
    static func checkResponse(saysData: Bool, saysErrors: Bool) throws(AnswerFault) {
        guard !saysData, !saysErrors else { return }
        throw AnswerFault(
            code: .notGraphQL, path: [], message: "is no GraphQL: it has neither data nor errors")
    }

    /// Whether there is `data` that is not null.
    package var hasData: Bool { data.first == UInt8(ascii: "{") }
}

extension AnswerFault {
    static let dataIsNoObject = AnswerFault(
        code: .wrongShape, path: [], message: "is no object: send an object or null")
}
