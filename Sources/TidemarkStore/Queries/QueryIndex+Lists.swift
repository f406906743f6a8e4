import TidemarkModel

/// The only functions that change a list: each keeps the reverse index, the pins and the steps of observers in line.
extension QueryIndex {
    /// Puts an element in.
    ///
    /// - Parameter index: Among all elements, hidden ones too.
    @discardableResult
    mutating func insert(_ handle: UInt32, sortKey: [UInt8] = [], at index: Int, in query: UInt32) -> UInt32 {
        beginChange(of: query)
        let countMax = self[query].shownCountMax
        let isStepped = isStepped(query)
        let isFull = self[query].list.count >= countMax
        let node = self[query].list.insert(handle, sortKey: sortKey, at: index)
        let place = keys.addHolder(ListedKeys.Holder(query: query, node: node), to: handle)
        self[query].list.setPlace(of: node, place)
        if self[query].observerCount > 0 { keys.pin(handle) }
        if isStepped, index < countMax {
            let shownIndex = self[query].list.shownIndex(of: node)
            if isFull {
                let pushed = self[query].list.handle(of: self[query].list.node(at: countMax))
                self[query].steps.append(.remove(pushed, at: countMax - 1))
            }
            self[query].steps.append(.add(handle, at: shownIndex))
        }
        markDirty(query)
        return node
    }

    /// Takes an element out.
    mutating func remove(_ node: UInt32, of query: UInt32) {
        beginChange(of: query)
        let handle = self[query].list.handle(of: node)
        if isStepped(query), !self[query].list.isHidden(node) {
            let countMax = self[query].shownCountMax
            let index = self[query].list.shownIndex(of: node)
            if index < countMax {
                self[query].steps.append(.remove(handle, at: index))
                if self[query].list.count > countMax {
                    let pulled = self[query].list.handle(of: self[query].list.node(at: countMax))
                    self[query].steps.append(.add(pulled, at: countMax - 1))
                }
            }
        }
        take(node, of: query)
        markDirty(query)
    }

    private mutating func take(_ node: UInt32, of query: UInt32) {
        let handle = self[query].list.handle(of: node)
        let place = self[query].list.place(of: node)
        self[query].list.remove(node)
        if let moved = keys.removeHolder(at: place, of: handle) {
            self[moved.query].list.setPlace(of: moved.node, place)
        }
        guard self[query].observerCount > 0 else { return }
        // What observers saw of it is remembered as long as it is pinned, and may change later in the same unit.
        if unit.isOpen, unit.isMulti { unit.unpins.append(handle) } else { keys.unpin(handle) }
    }

    /// Gives an element the place that a new sort key asks for.
    ///
    /// - Returns: Whether it moved.
    mutating func resort(_ node: UInt32, _ sortKey: [UInt8], in query: UInt32) -> Bool {
        beginChange(of: query)
        let countMax = self[query].shownCountMax
        let from = self[query].list.index(of: node)
        var target = self[query].list.lowerBound(sortKey)
        // The element itself stands before its new place, with its old key.
        if target > from { target -= 1 }
        self[query].list.setSortKey(of: node, sortKey)
        markDirty(query)
        guard target != from else { return false }
        if isStepped(query) { step(node, from: from, to: target, countMax: countMax, in: query) }
        self[query].list.move(node, to: target)
        return true
    }

    /// Notes what a move inside the list means for the part that is shown.
    private mutating func step(_ node: UInt32, from: Int, to target: Int, countMax: Int, in query: UInt32) {
        let handle = self[query].list.handle(of: node)
        switch (from < countMax, target < countMax) {
        case (true, true):
            self[query].steps.append(.move(handle, from: from, to: target))
        case (true, false):
            let pulled = self[query].list.handle(of: self[query].list.node(at: countMax))
            self[query].steps.append(.remove(handle, at: from))
            self[query].steps.append(.add(pulled, at: countMax - 1))
        case (false, true):
            let pushed = self[query].list.handle(of: self[query].list.node(at: countMax - 1))
            self[query].steps.append(.remove(pushed, at: countMax - 1))
            self[query].steps.append(.add(handle, at: target))
        case (false, false):
            break
        }
    }

    /// An element's resource changed where it stands.
    mutating func replace(_ node: UInt32, in query: UInt32) {
        guard self[query].observerCount > 0 else { return }
        beginChange(of: query)
        guard isStepped(query), !self[query].list.isHidden(node) else { return }
        let handle = self[query].list.handle(of: node)
        let isUnlogged = !isOldWanted(handle, in: query)
        if isUnlogged, self[query].shownCountMax == .max {
            self[query].isUnlogged = true
            return
        }
        let index = self[query].list.shownIndex(of: node)
        guard index < self[query].shownCountMax else { return }
        if isUnlogged {
            self[query].isUnlogged = true
            return
        }
        // An element that was added in the same unit is added as it is at its end.
        for case .add(handle, _) in self[query].steps { return }
        self[query].steps.append(.replace(handle, at: index))
    }

    /// An element's entity is gone without having been deleted, or is back.
    mutating func setHidden(_ node: UInt32, _ isHidden: Bool, in query: UInt32) {
        guard self[query].list.isHidden(node) != isHidden else { return }
        beginChange(of: query)
        let handle = self[query].list.handle(of: node)
        if isStepped(query) {
            let index = self[query].list.shownIndex(of: node)
            self[query].steps.append(isHidden ? .remove(handle, at: index) : .add(handle, at: index))
        }
        self[query].list.setHidden(node, isHidden)
    }

    /// Empties a list.
    mutating func removeAllElements(of query: UInt32) {
        guard !self[query].list.isEmpty else { return }
        precondition(unit.isMulti || self[query].observerCount == 0, "a whole list changes only in a larger unit")
        beginChange(of: query)
        var nodes: [UInt32] = []
        self[query].list.forEachNode { nodes.append($0) }
        for node in nodes { take(node, of: query) }
        self[query].list.removeAll()
    }

    // MARK: Units

    /// Remembers what observers saw before.
    mutating func beginChange(of query: UInt32) {
        guard self[query].observerCount > 0, !self[query].isTouched else { return }
        precondition(unit.isOpen, "query \(self[query].number) changes outside of a unit")
        self[query].isTouched = true
        unit.touched.append(query)
        if unit.isMulti { self[query].before = self[query].list.prefix(self[query].shownCountMax) }
    }

    /// Whether somebody who observes a list is told what an element was before a write, or has still to note it.
    func isOldWanted(_ handle: UInt32, in query: UInt32) -> Bool {
        guard self[query].observerCount > 0 else { return false }
        return self[query].listenerCount > 0 || keys.knownBy(handle) < self[query].lastLag
    }

    private func isStepped(_ query: UInt32) -> Bool { self[query].observerCount > 0 && !unit.isMulti }
}
