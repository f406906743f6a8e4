import TidemarkModel
import TidemarkStore

@testable import Tidemark

/// The members of a flat object, in any order.
struct JSONFields: Hashable {
    var members: Set<String>

    init(_ bytes: [UInt8]) {
        members = Set(
            String(decoding: bytes, as: UTF8.self).dropFirst().dropLast().split(separator: ",").map(String.init))
    }
}

extension SyncCache {
    func checkInvariants() { state.checkInvariants() }
}
