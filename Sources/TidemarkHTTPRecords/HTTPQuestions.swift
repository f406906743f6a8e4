import Synchronization
import TidemarkModel

/// What one HTTP request asks for: the stored responses of its URL and key that match its header fields.
package struct HTTPAsked: Sendable {
    /// The library of the request.
    package var library: ByteString
    /// The requested URL in its normalized form.
    package var url: ByteString
    /// The request's method and the caller's own key.
    package var key: ByteString
    /// True if the response may be kept only until the process ends.
    package var isSession: Bool
    /// The hash of the request's credentials.
    package var credentials: SHA256Digest
    /// Returns hashes of the request's values for the given header fields, in that order.
    package var values: @Sendable ([ByteString]) -> [SHA256Digest]

    /// Creates the description of a request.
    package init(
        library: ByteString, url: ByteString, key: ByteString, isSession: Bool, credentials: SHA256Digest,
        values: @escaping @Sendable ([ByteString]) -> [SHA256Digest]
    ) {
        self.library = library
        self.url = url
        self.key = key
        self.isSession = isSession
        self.credentials = credentials
        self.values = values
    }
}

/// Which requests under way are outdated by a removal of stored responses, or by another response.
package enum HTTPScope: AnswerScope {
    /// Requests that a removal of stored responses outdates.
    case selection(HTTPSelection)
    /// Requests that an accepted response would also have answered.
    case answer(HTTPSelection, credentials: SHA256Digest, names: [ByteString], values: [SHA256Digest])

    /// Returns true if a request is in the scope.
    package func includes(_ asked: HTTPAsked) -> Bool {
        switch self {
        case .selection(let selection): selection.includes(asked)
        case .answer(let selection, let credentials, let names, let values):
            selection.includes(asked) && credentials == asked.credentials && values == asked.values(names)
        }
    }
}

/// All HTTP requests under way, of every client of a cache and its journal. Only this type decides whether a response
/// may still be stored, and whether a caller may join a request.
///
/// A removal is recorded before it is written, and the journal asks for the verdict inside the transaction that stores
/// a response. So a response that a removal concerns is either not written, or is written first and then removed.
///
/// Laws: L12. One lock protects it, and is held for one verdict at most.
package final class HTTPQuestions: Sendable {
    private let gate = Mutex(ResponseGate<HTTPScope>())

    /// Creates the state without requests.
    package init() {}

    /// The number of requests under way.
    package var count: Int { gate.withLock { $0.openCount } }

    /// Begins a request; it ends when the result is released.
    package func begin(_ asked: HTTPAsked) -> HTTPQuestion {
        HTTPQuestion(asked, gate.withLock { $0.begin() }, self)
    }

    /// Records a removal of stored responses: responses to earlier requests in it are not stored, and nobody joins
    /// these.
    package func noteRemoval(_ selection: HTTPSelection) { gate.withLock { $0.note(.selection(selection)) } }

    fileprivate func noteAnswer(_ scope: HTTPScope, to mark: ResponseGate<HTTPScope>.Mark) {
        gate.withLock { $0.noteAnswer(scope, to: mark) }
    }

    fileprivate func verdict(
        _ mark: ResponseGate<HTTPScope>.Mark, _ asked: HTTPAsked
    ) -> ResponseGate<HTTPScope>.Verdict {
        gate.withLock { $0.verdict(on: mark, of: asked) }
    }

    fileprivate func end(_ mark: ResponseGate<HTTPScope>.Mark) { gate.withLock { $0.end(mark) } }
}

/// One HTTP request under way; it ends when its last reference is released. Compares by identity.
package final class HTTPQuestion: Sendable, Hashable {
    /// What the request asks for.
    package let asked: HTTPAsked
    private let mark: ResponseGate<HTTPScope>.Mark
    private let questions: HTTPQuestions

    fileprivate init(_ asked: HTTPAsked, _ mark: ResponseGate<HTTPScope>.Mark, _ questions: HTTPQuestions) {
        self.asked = asked
        self.mark = mark
        self.questions = questions
    }

    deinit { questions.end(mark) }

    /// True if the response may be stored now.
    package var mayStore: Bool { questions.verdict(mark, asked).mayStore }

    /// True if a request made now may wait for this response.
    package var mayJoin: Bool { questions.verdict(mark, asked).mayJoin }

    /// Records that the response was accepted. Older requests that it would also have answered are outdated.
    ///
    /// - Parameter names: The header fields that the response's `Vary` names.
    package func accept(varying names: [ByteString]) {
        let selection = HTTPSelection(
            library: asked.library, url: asked.url, key: asked.key, isSession: asked.isSession)
        questions.noteAnswer(
            .answer(selection, credentials: asked.credentials, names: names, values: asked.values(names)), to: mark)
    }

    /// Compares by identity.
    package static func == (first: HTTPQuestion, second: HTTPQuestion) -> Bool { first === second }

    /// Hashes the identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
