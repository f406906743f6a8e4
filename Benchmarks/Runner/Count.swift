import ArgumentParser
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// The command that repeats the same work on one thread, for a tool that counts instructions.
struct Count: ParsableCommand {
    /// The work to repeat.
    enum Work: String, CaseIterable, ExpressibleByArgument {
        /// Decodes lines to events.
        case decoding
        /// Decodes lines to events and applies them to a state.
        case state
    }

    static let name = "count"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Do the same work each time, for a counter of instructions.", shouldDisplay: false)

    @Argument var work: Work
    @Option var rounds = 1

    static let eventCount = 4_000

    func run() throws {
        let workload = Workload(entityCount: Count.eventCount / 5, eventsPerEntity: 5)
        for _ in 0..<rounds {
            var state = ApplySuite.emptyState()
            var eventCount = 0
            try workload.decode { batch in
                eventCount += batch.events.count
                if work == .state { state.apply(batch, at: 1) }
            }
            print("\(eventCount) events, \(state.entityCount) entities")
        }
    }
}
