import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct EvictionConsentTests {
    @Test func `without a delegate every eviction is approved`() {
        var consent = EvictionConsent()
        #expect(consent.request(hasDelegate: false) == .evict)
        #expect(!consent.isApproved && !consent.isRefused)
    }

    @Test func `a delegate is asked once until it answers`() {
        var consent = EvictionConsent()
        #expect(consent.request(hasDelegate: true) == .ask)
        #expect(consent.request(hasDelegate: true) == .skip)
        consent.answered(true)
        #expect(consent.isApproved)
        #expect(consent.request(hasDelegate: true) == .evict)
    }

    @Test func `an approval ends with its eviction, and a commit does not end it`() {
        var consent = EvictionConsent()
        _ = consent.request(hasDelegate: true)
        consent.answered(true)
        consent.committed()
        #expect(consent.isApproved)
        consent.complete()
        #expect(consent.request(hasDelegate: true) == .ask)
    }

    @Test func `a refusal holds until the next commit`() {
        var consent = EvictionConsent()
        _ = consent.request(hasDelegate: true)
        consent.answered(false)
        consent.complete()
        #expect(consent.isRefused)
        #expect(consent.request(hasDelegate: true) == .skip)
        consent.committed()
        #expect(consent.request(hasDelegate: true) == .ask)
    }

    @Test func `a commit does not end a question`() {
        var consent = EvictionConsent()
        _ = consent.request(hasDelegate: true)
        consent.committed()
        #expect(consent.request(hasDelegate: true) == .skip)
    }

    @Test func `an approval is owed once, until an eviction begins`() {
        var consent = EvictionConsent()
        _ = consent.request(hasDelegate: true)
        var taken = [consent.takeOwed()]
        consent.answered(true)
        taken += [consent.takeOwed(), consent.takeOwed()]
        #expect(taken == [false, true, false] && consent.isApproved)
        #expect(consent.request(hasDelegate: true) == .evict)
        consent.complete()
        _ = consent.request(hasDelegate: true)
        consent.answered(true)
        // An eviction that began in another way has paid the debt.
        #expect(consent.request(hasDelegate: true) == .evict)
        let isOwed = consent.takeOwed()
        #expect(!isOwed)
    }

    @Test func `an approval that is not needed any more is not kept`() {
        var consent = EvictionConsent()
        _ = consent.request(hasDelegate: true)
        consent.answered(true)
        consent.complete()
        let isOwed = consent.takeOwed()
        #expect(!consent.isApproved && !isOwed)
        #expect(consent.request(hasDelegate: true) == .ask)
    }
}
