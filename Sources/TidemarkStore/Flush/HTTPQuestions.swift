import Synchronization
import TidemarkModel

/// A part of the stored answers that one request selects: those of its URL under its key, for its fields.
package struct HTTPAsked: Sendable {
    package var library: ByteString
    /// The URL that was asked for, in its normal form.
    package var url: ByteString
    /// The method, and the caller's own key.
    package var key: ByteString
    package var isSession: Bool
    /// The hash of the request's credentials.
    package var credentials: SHA256Digest
    /// Hashes the request's values of some fields, in the order of their names.
    package var values: @Sendable ([ByteString]) -> [SHA256Digest]

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

/// The questions that a removal of stored answers, or another answer, concerns.
package enum HTTPScope: AnswerScope {
    case selection(HTTPSelection)
    /// The questions that an accepted answer would have answered.
    case answer(HTTPSelection, credentials: SHA256Digest, names: [ByteString], values: [SHA256Digest])

    package func includes(_ asked: HTTPAsked) -> Bool {
        switch self {
        case .selection(let selection): selection.includes(asked)
        case .answer(let selection, let credentials, let names, let values):
            selection.includes(asked) && credentials == asked.credentials && values == asked.values(names)
        }
    }
}

/// The questions of HTTP under way, for all clients of a cache and its journal: the one place that decides whether an
/// answer may still be stored, and whether a caller may join a question.
///
/// A removal is noted before it is written, and the journal asks for the verdict within the transaction that stores an
/// answer: one that a removal concerns is either not written, or written before the removal takes it out.
///
/// Laws: L12. Under one lock, which is held for a verdict at most.
package final class HTTPQuestions: Sendable {
    private let gate = Mutex(AnswerGate<HTTPScope>())

    package init() {}

    /// The number of questions under way.
    package var count: Int { gate.withLock { $0.openCount } }

    package func begin(_ asked: HTTPAsked) -> HTTPQuestion {
        HTTPQuestion(asked, gate.withLock { $0.begin() }, self)
    }

    /// Notes that stored answers are removed: what was asked for before is not stored, and nobody joins it.
    package func noteRemoval(_ selection: HTTPSelection) { gate.withLock { $0.note(.selection(selection)) } }

    fileprivate func noteAnswer(_ scope: HTTPScope, to mark: AnswerGate<HTTPScope>.Mark) {
        gate.withLock { $0.noteAnswer(scope, to: mark) }
    }

    fileprivate func verdict(
        _ mark: AnswerGate<HTTPScope>.Mark, _ asked: HTTPAsked
    ) -> AnswerGate<HTTPScope>.Verdict {
        gate.withLock { $0.verdict(on: mark, of: asked) }
    }

    fileprivate func end(_ mark: AnswerGate<HTTPScope>.Mark) { gate.withLock { $0.end(mark) } }
}

/// One question under way; it ends with its last reference. It compares by identity.
package final class HTTPQuestion: Sendable, Hashable {
    package let asked: HTTPAsked
    private let mark: AnswerGate<HTTPScope>.Mark
    private let questions: HTTPQuestions

    fileprivate init(_ asked: HTTPAsked, _ mark: AnswerGate<HTTPScope>.Mark, _ questions: HTTPQuestions) {
        self.asked = asked
        self.mark = mark
        self.questions = questions
    }

    deinit { questions.end(mark) }

    /// Whether the answer may be stored now.
    package var mayStore: Bool { questions.verdict(mark, asked).mayStore }

    /// Whether a request that is made now may wait for this answer.
    package var mayJoin: Bool { questions.verdict(mark, asked).mayJoin }

    /// Notes that the answer was accepted: older questions that it would have answered are outdated.
    ///
    /// - Parameters:
    ///   - names: The fields that `Vary` of the answer names.
    package func accept(varying names: [ByteString]) {
        let selection = HTTPSelection(
            library: asked.library, url: asked.url, key: asked.key, isSession: asked.isSession)
        questions.noteAnswer(
            .answer(selection, credentials: asked.credentials, names: names, values: asked.values(names)), to: mark)
    }

    package static func == (first: HTTPQuestion, second: HTTPQuestion) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HTTPSelection {
    package func includes(_ asked: HTTPAsked) -> Bool {
        includes(library: asked.library, url: asked.url, key: asked.key, isSession: asked.isSession)
    }

    package func includes(_ record: HTTPRecord) -> Bool {
        includes(library: record.library, url: record.url, key: record.key, isSession: record.isSession)
    }

    private func includes(library: ByteString, url: ByteString, key: ByteString, isSession: Bool) -> Bool {
        (self.library.map { $0 == library } ?? true) && (self.url.map { $0 == url } ?? true)
            && (self.key.map { $0 == key } ?? true)
            && (prefix.map { url.bytes.starts(with: $0.bytes) } ?? true)
            && (self.isSession.map { $0 == isSession } ?? true)
    }
}
