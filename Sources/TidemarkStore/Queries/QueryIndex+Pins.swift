/// Pins the elements of observed lists that stay in memory.
///
/// In a list with a reserve (``QueryEntry/pinnedCountMax``) the first shown elements are pinned, and each change moves
/// the boundary by one. In any other list every element is pinned.
///
/// - Complexity: O(log n) for each change.
extension QueryIndex {
    /// Pins an element that was just inserted, if it is in the pinned part.
    mutating func pinInserted(_ node: ListNode, of query: QueryID) {
        guard self[query].observerCount > 0 else { return }
        if self[query].pinnedCountMax == .max {
            keys.pin(self[query].list.handle(of: node))
        } else if self[query].list.isShown(node) {
            pinShown(node, of: query)
        }
    }

    /// Unpins an element that is about to be removed.
    mutating func unpinRemoved(_ node: ListNode, of query: QueryID) {
        guard self[query].observerCount > 0 else { return }
        if self[query].pinnedCountMax == .max {
            unpinInUnit(self[query].list.handle(of: node))
        } else if self[query].list.isShown(node) {
            pinHiding(node, of: query)
        }
    }

    /// Moves the boundary after an element became shown, which may push another one out of the reserve.
    mutating func pinShown(_ node: ListNode, of query: QueryID) {
        guard let countMax = reserveEnd(of: query), self[query].list.index(of: node, among: .shown) < countMax else {
            return
        }
        pin(node, of: query)
        guard self[query].list.shownCount > countMax else { return }
        unpin(self[query].list.node(at: countMax, among: .shown), of: query)
    }

    /// Moves the boundary before an element is hidden: the first element after the reserve enters it.
    mutating func pinHiding(_ node: ListNode, of query: QueryID) {
        guard let countMax = reserveEnd(of: query), self[query].list.index(of: node, among: .shown) < countMax else {
            return
        }
        unpin(node, of: query)
        guard self[query].list.shownCount > countMax else { return }
        pin(self[query].list.node(at: countMax, among: .shown), of: query)
    }

    /// Moves the boundary before a shown element moves.
    ///
    /// - Parameters:
    ///   - from: The element's index among the shown elements.
    ///   - target: Its index among the shown elements after the move.
    mutating func pinMoving(_ node: ListNode, from: Int, to target: Int, of query: QueryID) {
        guard let countMax = reserveEnd(of: query), (from < countMax) != (target < countMax) else { return }
        if from < countMax {
            unpin(node, of: query)
            pin(self[query].list.node(at: countMax, among: .shown), of: query)
        } else {
            unpin(self[query].list.node(at: countMax - 1, among: .shown), of: query)
            pin(node, of: query)
        }
    }

    /// Pins the new entity of an element and unpins the old one, inside a larger unit.
    mutating func pinRetargeted(_ node: ListNode, from old: ListHandle, of query: QueryID) {
        guard self[query].observerCount > 0 else { return }
        if let countMax = reserveEnd(of: query) {
            guard self[query].list.isShown(node), self[query].list.index(of: node, among: .shown) < countMax else {
                return
            }
            self[query].awaitEntity(of: node)
        }
        keys.pin(self[query].list.handle(of: node))
        recorder.unpinAtEnd(old)
    }

    /// Pins the elements that must stay in memory, when a list gets its first observer.
    ///
    /// - Complexity: O(pinned elements · log n).
    mutating func pinList(of query: QueryID) {
        guard let countMax = reserveEnd(of: query) else {
            let list = self[query].list
            return list.forEachNode { keys.pin(list.handle(of: $0)) }
        }
        for index in 0..<min(countMax, self[query].list.shownCount) {
            pin(self[query].list.node(at: index, among: .shown), of: query)
        }
    }

    /// Unpins the elements of a list that lost its last observer.
    mutating func unpinList(of query: QueryID) {
        self[query].endAwaitingAll()
        awaiting.remove(query)
        let list = self[query].list
        guard let countMax = reserveEnd(of: query, observed: true) else {
            return list.forEachNode { keys.unpin(list.handle(of: $0)) }
        }
        for handle in list.shownPrefix(countMax) { keys.unpin(handle) }
    }

    /// Returns the index at which the pinned part of an observed list ends; nil without observers or without a reserve.
    private func reserveEnd(of query: QueryID, observed: Bool = false) -> Int? {
        guard observed || self[query].observerCount > 0 else { return nil }
        let countMax = self[query].pinnedCountMax
        return countMax == .max ? nil : countMax
    }

    private mutating func pin(_ node: ListNode, of query: QueryID) {
        keys.pin(self[query].list.handle(of: node))
        self[query].awaitEntity(of: node)
    }

    private mutating func unpin(_ node: ListNode, of query: QueryID) {
        self[query].endAwaiting(node)
        unpinInUnit(self[query].list.handle(of: node))
    }

    /// Unpins a key; in a larger unit only at its end, because the value that observers saw is kept while the key is
    /// pinned.
    private mutating func unpinInUnit(_ handle: ListHandle) {
        if !recorder.deferUnpin(of: handle) { keys.unpin(handle) }
    }
}
