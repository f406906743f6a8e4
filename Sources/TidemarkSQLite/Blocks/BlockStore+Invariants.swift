extension BlockStore {
    /// Checks the planner against the index and the ledger.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        planner.checkInvariants()
        let (live, byteCount) = index.withState { state in
            state.places.checkInvariants()
            var live = 0
            state.places.forEachPlace { place in
                guard let block = state.ledger[place.ordinal], place.position < Int(block.count) else {
                    preconditionFailure("there is no \(place)")
                }
                live += block.share
            }
            for (ordinal, count) in removals.liveCounts { live += count * (state.ledger[ordinal]?.share ?? 0) }
            var byteCount = 0
            state.ledger.forEach { byteCount += $1.countedByteCount }
            return (live, byteCount)
        }
        precondition(planner.liveByteCount == live, "\(planner.liveByteCount) live bytes by the planner, \(live)")
        precondition(planner.byteCount == byteCount, "\(planner.byteCount) bytes by the planner, \(byteCount)")
    }
}
