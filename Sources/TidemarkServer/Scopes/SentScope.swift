import Synchronization
import Tidemark
import TidemarkLiveScopes
import TidemarkScopes

/// The lines of a scope on one connection. Its release closes the stream.
final class SentScope: SentStream {
    private let stream: ScopeStream
    private let routes: ScopeRoutes
    private let text: ScopeText
    private let packer: (any StreamPacker)?
    private let clock: any CacheClock

    init(_ stream: ScopeStream, _ routes: ScopeRoutes, _ text: ScopeText, clock: any CacheClock) throws(Refusal) {
        self.stream = stream
        self.routes = routes
        self.text = text
        self.clock = clock
        packer = text.coding?.packer()
        if text.coding != nil, packer == nil {
            throw Refusal(.overloaded, "there is no memory to pack the stream: try again later")
        }
    }

    deinit { routes.close(stream) }

    let beginning: [UInt8] = []
    var sendTimeout: Duration? { .milliseconds(routes.serving.takeMillisecondCount) }

    func next(wake: @escaping @Sendable () -> Void) -> SentStep {
        switch stream.next(now: clock.now(), wake: wake) {
        case .wait: .wait
        case .lines(let lines, let hasRoom): .send(packed(text.text(lines)), hasRoom: hasRoom)
        case .end: .end(packed([], isEnd: true))
        case .cut: .cut
        }
    }

    private func packed(_ text: [UInt8], isEnd: Bool = false) -> [UInt8] {
        packer?.packed(text, isEnd: isEnd) ?? text
    }

    func tellRoom() async { await routes.service.resume(stream) }

    func watch(wake: @escaping @Sendable () -> Void) -> Bool { stream.watch(wake) }

    /// Waits for the next step; nil only if the task is cancelled.
    func next() async -> SentStep? { await stream.nextStep { self.next(wake: $0) } }
}

extension ScopeStream {
    /// Waits for a step that is there.
    ///
    /// - Parameter take: Takes a step, or keeps the wake-up.
    /// - Returns: nil only if the task is cancelled.
    func nextStep(_ take: @escaping @Sendable (@escaping @Sendable () -> Void) -> SentStep) async -> SentStep? {
        while !Task.isCancelled {
            let step: SentStep? = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let waiter = OneResumption(continuation)
                    let step = take { waiter.resume(nil) }
                    if case .wait = step {
                        if Task.isCancelled { waiter.resume(nil) }
                    } else {
                        waiter.resume(step)
                    }
                }
            } onCancel: {
                wakeUp()
            }
            if let step { return step }
        }
        return nil
    }
}

/// A continuation that several may resume; the first one counts.
private final class OneResumption: Sendable {
    private let continuation: Mutex<CheckedContinuation<SentStep?, Never>?>

    init(_ continuation: CheckedContinuation<SentStep?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ step: SentStep?) { continuation.withLock { $0.take() }?.resume(returning: step) }
}
