import TidemarkModel

/// The places of an answer that one payload brought.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package indirect enum PayloadMask: Sendable {
    /// A mask that names this place and everything in it.
    case whole
    /// The members or elements that came with the payload; others did not.
    case parts([ResponseStep: PayloadMask])

    /// A mask that names no place.
    static let nothing = PayloadMask.parts([:])

    var isWhole: Bool {
        if case .whole = self { true } else { false }
    }

    /// The mask of a member or an element; nil where nothing came.
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
