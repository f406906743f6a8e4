/// A line of an upstream's log that names a number.
package enum ReferenceUpstreamLine: Equatable, Sendable {
    case offer(ReferenceOffer)
    /// A line that cannot be used.
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
