import TestTraits
import Testing
import Tidemark
import TidemarkModel

@Suite(.pooled) struct ObserverMailboxTests {
    private func notification(_ number: Int) -> CacheNotification {
        .entity(
            EntityNotification(
                subscription: SubscriptionID(1), entity: Array("\(number)".utf8), changedFields: []))
    }

    /// Returns a taken item in one word.
    private func name(_ taken: ObserverMailbox.Taken) -> String {
        switch taken {
        case .item(.notification(.entity(let notification))):
            String(decoding: notification.entity ?? [], as: UTF8.self)
        case .item(.failed): "failed"
        case .item: "other"
        case .roomAgain: "roomAgain"
        case .nothing: "nothing"
        case .closed: "closed"
        }
    }

    @Test func `sixteen notifications fit, and new room is reported once, when all are taken`() {
        let mailbox = ObserverMailbox()
        #expect((0..<20).map { mailbox.offer(notification($0)) } == (0..<20).map { $0 < 16 })
        #expect((0..<16).map { _ in name(mailbox.take()) } == (0..<16).map { "\($0)" })
        #expect(name(mailbox.take()) == "roomAgain")
        #expect(name(mailbox.take()) == "nothing")
    }

    @Test func `a delivered notification is accepted, with room or without`() {
        let mailbox = ObserverMailbox()
        for number in 0..<16 { #expect(mailbox.offer(notification(number))) }
        mailbox.deliver(notification(16))
        #expect((0..<18).map { _ in name(mailbox.take()) } == (0..<17).map { "\($0)" } + ["nothing"])
    }

    @Test func `a closed mailbox drops everything, and does not make the cache keep changes`() {
        let mailbox = ObserverMailbox()
        #expect(mailbox.offer(notification(1)))
        mailbox.close()
        #expect(name(mailbox.take()) == "closed")
        #expect(mailbox.offer(notification(2)))
        #expect(!mailbox.put(.failed(CacheError(.conflict, "late"))))
        #expect(name(mailbox.take()) == "closed")
    }

    @Test func `a waiting reader is woken by an offer, an item, a closing or a cancellation`() async {
        let wakers: [@Sendable (ObserverMailbox) -> Void] = [
            {
                _ = $0.offer(
                    .entity(EntityNotification(subscription: SubscriptionID(1), entity: [], changedFields: [])))
            },
            { _ = $0.put(.failed(CacheError(.conflict, "no"))) },
            { $0.close() },
        ]
        for wake in wakers {
            let mailbox = ObserverMailbox()
            async let waiting: Void = mailbox.wait()
            wake(mailbox)
            await waiting
        }
        let mailbox = ObserverMailbox()
        let task = Task { await mailbox.wait() }
        task.cancel()
        await task.value
        #expect(name(mailbox.take()) == "closed")
    }
}
