/// A line of an upstream's log that names a sequence.
package enum ReferenceUpstreamLine: Equatable, Sendable {
    /// A usable event.
    case offer(ReferenceOffer)
    /// An unusable line.
    case bad(library: [UInt8], sequence: Int64, epoch: [UInt8]?)

    var library: [UInt8] {
        switch self {
        case .offer(let offer): offer.event.library
        case .bad(let library, _, _): library
        }
    }

    var epoch: [UInt8]? {
        switch self {
        case .offer(let offer): offer.event.epoch
        case .bad(_, _, let epoch): epoch
        }
    }
}
