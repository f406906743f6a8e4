import Synchronization

/// The notifications of a sink in words, and whether it accepts more.
final class ManagedWords: Sendable {
    private let state = Mutex((words: [String](), hasRoom: true))

    var hasRoom: Bool { state.withLock { $0.hasRoom } }
    var all: [String] { state.withLock { $0.words } }

    func add(_ word: String) { state.withLock { $0.words.append(word) } }
    func setRoom(_ hasRoom: Bool) { state.withLock { $0.hasRoom = hasRoom } }

    func take() -> [String] {
        state.withLock { state in
            defer { state.words = [] }
            return state.words
        }
    }
}
