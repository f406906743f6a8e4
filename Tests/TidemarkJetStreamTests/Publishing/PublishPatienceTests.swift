import TestTraits
import Testing

@testable import TidemarkJetStream

@Suite(.pooled) struct PublishPatienceTests {
    private let start = ContinuousClock.now

    /// The steps after failures at some seconds.
    private func steps(
        _ patience: inout PublishPatience, _ failures: [(seconds: Double, trouble: PublishPatience.Trouble)]
    ) -> [PublishPatience.Step] {
        failures.map { patience.failed($0.trouble, at: start + .seconds($0.seconds)) }
    }

    @Test func `silence is outlived for the whole time, from its beginning on`() {
        var patience = PublishPatience(.seconds(30))
        // An hour without anything to send is no silence.
        #expect(
            steps(&patience, [(3_600, .silence), (3_620, .silence), (3_629.9, .silence), (3_630, .silence)])
                == [.tryAgain, .tryAgain, .tryAgain, .giveUp])
    }

    @Test func `a stored message ends it`() {
        var patience = PublishPatience(.seconds(30))
        #expect(steps(&patience, [(0, .silence), (29, .silence)]) == [.tryAgain, .tryAgain])
        patience.succeeded()
        #expect(
            steps(&patience, [(31, .silence), (60, .silence), (61, .silence)]) == [.tryAgain, .tryAgain, .giveUp])
    }

    @Test func `a stream that is missing in every answer is not waited for`() {
        var patience = PublishPatience(.seconds(30))
        #expect(
            steps(&patience, [(0, .noStream), (1.9, .noStream), (2, .noStream)]) == [.tryAgain, .tryAgain, .giveUp])
        // An election in between: nobody knows then.
        patience = PublishPatience(.seconds(30))
        #expect(
            steps(&patience, [(0, .noStream), (1, .silence), (2, .noStream), (3.9, .noStream), (4, .noStream)])
                == [.tryAgain, .tryAgain, .tryAgain, .tryAgain, .giveUp])
    }

    @Test func `no patience gives up at once`() {
        var patience = PublishPatience(.zero)
        #expect(patience.failed(.silence, at: start) == .giveUp)
    }
}
