import TestTraits
import Testing
import TidemarkModel
import TidemarkSimulation

/// The simulation's own account of what was given to a cache. Laws: L1, L4.
@Suite(.pooled) struct DeliveryAccountTests {
    /// Four events of one library: 1 and 2 write `x`, 3 and 4 write `y`.
    private static let library: ServerLibrary = {
        var library = ServerLibrary(name: "a", epoch: nil)
        for (id, value) in [("x", "1"), ("x", "2"), ("y", "3"), ("y", "4")] {
            _ = library.append([(id, .replace(ItemFields(["n": value])))])
        }
        return library
    }()

    /// - Parameter places: Where the cache says that it is, one look after another.
    private static func truth(_ places: (cursor: Int64, lost: [ClosedRange<Int64>])...) -> LibraryTruth {
        var truth = LibraryTruth()
        truth.heard(log: 0, base: 0)
        for place in places {
            let lost = place.lost.map {
                LostRange(first: EventSequence($0.lowerBound), last: EventSequence($0.upperBound))
            }
            let status = LibraryStatus(
                library: "a", epoch: "", cursor: EventSequence(place.cursor), phase: .live, lost: lost)
            #expect(truth.follow(status, library, isSettled: true) == nil)
        }
        return truth
    }

    private static func account(_ given: Int64...) -> DeliveryAccount {
        var account = DeliveryAccount()
        for sequence in given { account.give(sequence, log: 0) }
        return account
    }

    @Test func `a number that is passed was given, or is called lost`() {
        let (before, log) = (Self.truth((1, [])), Self.library.log)
        #expect(Self.account(2, 3).problem(from: before, to: Self.truth((1, []), (3, [])), log) == nil)
        #expect(Self.account(3).problem(from: before, to: Self.truth((1, []), (3, [2...2])), log) == nil)
        #expect(Self.account(3).problem(from: before, to: Self.truth((1, []), (3, [])), log) != nil)
    }

    @Test func `a number that is lost no more was given`() {
        let (before, after) = (Self.truth((1, []), (3, [2...2])), Self.truth((1, []), (3, [2...2]), (3, [])))
        #expect(Self.account(2, 3).problem(from: before, to: after, Self.library.log) == nil)
        #expect(Self.account(3).problem(from: before, to: after, Self.library.log) != nil)
    }

    @Test func `a number that was passed in order is not called lost afterwards`() {
        let (before, after) = (Self.truth((3, [])), Self.truth((3, []), (4, [2...2])))
        #expect(Self.account(1, 2, 3, 4).problem(from: before, to: after, Self.library.log) != nil)
    }

    @Test func `a late event must take effect unless something else wrote its entity`() {
        let (library, truth) = (Self.library, Self.truth((4, [1...1, 3...4])))
        func mustTake(_ sequence: Int, _ account: DeliveryAccount, isThere: Bool = true) -> Bool {
            account.mustTake(library.log.events[sequence - 1], truth, library.log, mayEvict: false) { _ in isThere }
        }
        var touched = DeliveryAccount()
        for id in ["x", "y"] { touched.touch(id, 4) }
        // A whole resource was written above 1; nothing is above 4.
        #expect(mustTake(1, DeliveryAccount()))
        #expect(mustTake(4, DeliveryAccount()))
        #expect(!mustTake(1, touched))
        #expect(!mustTake(4, touched))
        var forgetful = DeliveryAccount()
        forgetful.forget(through: 4)
        #expect(!mustTake(4, forgetful))
        #expect(!mustTake(1, forgetful, isThere: false))
    }
}
