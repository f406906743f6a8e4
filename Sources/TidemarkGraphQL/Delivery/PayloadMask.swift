import TidemarkModel

/// The places in a response that one payload brought.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package indirect enum PayloadMask: Sendable {
    /// This place and everything in it.
    case whole
    /// Only these members or elements.
    case parts([ResponseStep: PayloadMask])

    /// No place.
    static let nothing = PayloadMask.parts([:])

    var isWhole: Bool {
        if case .whole = self { true } else { false }
    }

    /// Returns the mask of a member or element; nil if the payload did not bring it.
    func child(_ step: ResponseStep) -> PayloadMask? {
        switch self {
        case .whole: .whole
        case .parts(let children): children[step]
        }
    }

    /// Adds the places of another mask.
    ///
    /// - Complexity: O(both).
    mutating func formUnion(_ other: PayloadMask) {
        guard case .parts(var own) = self, case .parts(let others) = other else {
            self = .whole
            return
        }
        for (step, mask) in others {
            if var known = own[step] {
                known.formUnion(mask)
                own[step] = known
            } else {
                own[step] = mask
            }
        }
        self = .parts(own)
    }
}
