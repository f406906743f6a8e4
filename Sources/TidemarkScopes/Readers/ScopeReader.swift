import TidemarkModel
import TidemarkViews

/// One client of a scope: how far it is, and what it is being sent.
///
/// The caller asks ``ScopeSet/decide(_:for:room:nonce:_:)`` for lines whenever the log moved or there is room, writes
/// them, and asks ``ScopeSet/heartbeat(_:for:)`` at a fixed period.
package struct ScopeReader: Sendable {
    /// Where a client wants to go on.
    package struct Resumption: Hashable, Sendable {
        /// The number of the last line that it has.
        package let after: ScopeNumber
        /// The epoch of that number.
        package let epoch: ByteString

        /// Creates a place to go on; nil for a number that no log has.
        package init?(after: UInt64, epoch: ByteString) {
            guard let number = ScopeNumber(wire: after) else { return nil }
            self.after = number
            self.epoch = epoch
        }
    }

    /// Who reads: edits of this subject are settled in its streams alone.
    package let subject: ByteString
    /// Where the client said that it is, until that was examined.
    var resumption: Resumption?
    /// The name of the log that the reader follows; nil before the first line.
    var log: [UInt8]?
    /// The epoch that the reader is in.
    var epoch: ScopeEpoch?
    /// The number of the last line.
    var last: ScopeNumber?
    /// The position behind everything that was sent; nil before a state is complete.
    var position: ScopePosition?
    /// The serial number of the next settled edit to look at.
    var noteSerial = 0
    /// What is being sent.
    var delivery: ScopeDelivery?
    /// Entities of a delivery that was broken off, which the client may have though it was not at a position with them.
    var begunKeys: [ViewKey] = []
    /// True if the delivery's position is held, because it takes more than one step.
    var holdsSnapshot = false
    /// True until a heartbeat ended the resumption.
    var isResuming = false
    /// True once the end of the stream was sent.
    package internal(set) var isEnded = false

    /// True while lines of a state or of a unit are still to be sent.
    package var isDelivering: Bool { delivery != nil }
    /// True before the first line, and while a state is being sent.
    package var hasNoState: Bool { position == nil }

    /// Creates a reader.
    ///
    /// - Parameter resumption: Where to go on; nil for a state.
    package init(subject: ByteString, resumption: Resumption? = nil) {
        self.subject = subject
        self.resumption = resumption
    }

    /// The line that ends the stream at once; nothing leaves. It does not end what the scope shows.
    package mutating func end(_ bye: ScopeBye) -> ScopeLine {
        isEnded = true
        return ScopeLine(bye.line, isEnd: true, position: position ?? .start)
    }
}
