import TestTraits
import Testing
import TidemarkModel
import TidemarkSimulation

/// The simulation's own account of questions and of what answers may not undo. Law: L12.
@Suite(.pooled) struct QuestionTruthTests {
    private static func fields(_ stamp: Int64) -> ItemFields { ItemFields(["v": "\(stamp)"]) }

    /// Returns the account of a cache that came to places of a log, one after another.
    private static func followed(_ library: ServerLibrary, _ cursors: Int64...) -> QuestionTruth {
        var (truth, questions) = (LibraryTruth(), QuestionTruth())
        truth.heard(log: 0, base: 0)
        for cursor in cursors {
            let status = LibraryStatus(
                library: "a", epoch: "", cursor: EventSequence(cursor), phase: .live, lost: [])
            #expect(truth.follow(status, library, isSettled: true) == nil)
            questions.follow("a", truth, library.log)
        }
        return questions
    }

    private static func library() -> ServerLibrary {
        var library = ServerLibrary(name: "a", epoch: nil)
        for stamp in [Int64(10), 20] { _ = library.append([("x", .replace(fields(stamp)))], stamp: stamp) }
        _ = library.append([("x", .delete)], stamp: 30)
        return library
    }

    private static func list(_ question: Int, _ ids: String...) -> QuestionDesk.Listed {
        QuestionDesk.Listed(library: "a", query: .all, question: question, ids: ids)
    }

    @Test func `a value does not give way to an older one`() {
        var questions = Self.followed(Self.library(), 1)
        #expect(questions.problem("a", "x", shows: Self.fields(40)) == nil)
        #expect(questions.problem("a", "x", shows: Self.fields(40)) == nil)
        #expect(questions.problem("a", "x", shows: Self.fields(39)) != nil)
    }

    @Test func `an event may bring an older value, and an answer may not bring what is older than the event`() {
        var questions = Self.followed(Self.library(), 1, 2)
        #expect(questions.problem("a", "x", shows: Self.fields(20)) == nil)
        questions = Self.followed(Self.library(), 1, 2)
        #expect(questions.problem("a", "x", shows: Self.fields(10)) != nil)
        questions = Self.followed(Self.library(), 1, 3)
        #expect(questions.problem("a", "x", shows: nil) == nil)
        #expect(questions.problem("a", "x", shows: Self.fields(20)) != nil)
        #expect(questions.problem("a", "x", shows: Self.fields(31)) == nil)
    }

    @Test func `another write of the host leaves every value open`() {
        var questions = Self.followed(Self.library(), 1)
        #expect(questions.problem("a", "x", shows: Self.fields(40)) == nil)
        questions.rewrote("a", "x")
        #expect(questions.problem("a", "x", shows: Self.fields(20)) == nil)
    }

    @Test func `a fresh list was asked for after it became stale`() {
        var questions = Self.followed(Self.library(), 1)
        questions.listed(Self.list(3, "x"))
        questions.staled("a", after: 3)
        #expect(questions.problem("a", .all, lists: ["x"], isStale: false) != nil)
        #expect(questions.problem("a", .all, lists: ["x"], isStale: true) == nil)
        #expect(questions.problem("a", .liked, lists: [], isStale: false) == nil)
        #expect(questions.mustAskAfter("a") == 3)
        questions.listed(Self.list(4, "x"))
        #expect(questions.problem("a", .all, lists: ["x"], isStale: false) == nil)
    }

    @Test func `a list is that of the latest question, less what was removed since`() {
        var questions = Self.followed(Self.library(), 1)
        questions.listed(Self.list(2, "x", "y", "z"))
        questions.listed(Self.list(1, "w"))
        #expect(questions.problem("a", .all, lists: ["x", "z"], isStale: false) == nil)
        #expect(questions.problem("a", .all, lists: ["w"], isStale: false) != nil)
        #expect(questions.problem("a", .all, lists: ["z", "x"], isStale: false) != nil)
        // What was stored of the latest is unknown now; an older one does not take its place.
        questions.forgetLists()
        questions.listed(Self.list(1, "w"))
        #expect(questions.problem("a", .all, lists: ["q"], isStale: false) == nil)
    }

    @Test func `a clear forgets what was there, and the answers to older questions`() {
        var questions = Self.followed(Self.library(), 1)
        #expect(questions.problem("a", "x", shows: Self.fields(40)) == nil)
        questions.cleared("a", after: 5)
        questions.listed(Self.list(5, "x"))
        #expect(questions.problem("a", .all, lists: ["y"], isStale: false) == nil)
        #expect(questions.problem("a", "x", shows: Self.fields(20)) == nil)
        #expect(questions.mustAskAfter("a") == 5)
    }
}
