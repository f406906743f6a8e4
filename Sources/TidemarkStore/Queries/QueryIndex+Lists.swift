import TidemarkModel

/// The only functions that change a list. Each also maintains the reverse index, the pins and the steps for observers.
extension QueryIndex {
    /// Inserts an element.
    ///
    /// - Parameter index: The index among all elements.
    @discardableResult
    mutating func insert(
        _ handle: ListHandle, sortKey: [UInt8] = [], marks: ElementMarks = [], at index: Int, in query: QueryID
    ) -> ListNode {
        beginChange(of: query)
        let node = self[query].insertElement(handle, sortKey: sortKey, marks: marks, at: index)
        let place = keys.addHolder(ListedKeys.Holder(query: query, node: node), to: handle)
        self[query].setPlace(of: node, place)
        pinInserted(node, of: query)
        if marks.isShown, isStepped(query) { stepIn(node, of: query) }
        if !marks.contains(.isExtra) { markDirty(query) }
        return node
    }

    /// Removes an element.
    mutating func remove(_ node: ListNode, of query: QueryID) {
        beginChange(of: query)
        let marks = self[query].list.marks(of: node)
        if marks.isShown, isStepped(query) { stepOut(node, of: query) }
        unlink(node, of: query)
        if !marks.contains(.isExtra) { markDirty(query) }
    }

    private mutating func unlink(_ node: ListNode, of query: QueryID) {
        let handle = self[query].list.handle(of: node)
        let place = self[query].list.place(of: node)
        unpinRemoved(node, of: query)
        self[query].removeElement(node)
        if let moved = keys.removeHolder(at: place, of: handle) {
            self[moved.query].setPlace(of: moved.node, place)
        }
    }

    /// Moves an element to the place of a new sort key.
    mutating func resort(_ node: ListNode, _ sortKey: [UInt8], in query: QueryID) {
        beginChange(of: query)
        let from = self[query].list.index(of: node, among: .all)
        var target = self[query].list.lowerBound(sortKey, among: .all)
        // The element itself, under its old key, precedes its new place.
        if target > from { target -= 1 }
        let marks = self[query].list.marks(of: node)
        if target != from, marks.isShown, self[query].observerCount > 0 {
            let shownFrom = self[query].list.index(of: node, among: .shown)
            var shownTarget = self[query].list.lowerBound(sortKey, among: .shown)
            if shownTarget > shownFrom { shownTarget -= 1 }
            if isStepped(query) { step(node, from: shownFrom, to: shownTarget, in: query) }
            pinMoving(node, from: shownFrom, to: shownTarget, of: query)
        }
        self[query].resortElement(node, sortKey, to: target == from ? nil : target)
        if !marks.contains(.isExtra) { markDirty(query) }
    }

    /// Records that an element's resource changed, but not its place.
    mutating func replace(_ node: ListNode, in query: QueryID) {
        dropKept(of: query)
        guard self[query].observerCount > 0 else { return }
        beginChange(of: query)
        guard isStepped(query), self[query].list.isShown(node) else { return }
        let handle = self[query].list.handle(of: node)
        // With layers the element may look the same as before, which is known only when the unit ends.
        let isUnlogged = !recorder.isUncertain && !needsPayloadBefore(handle, in: query)
        if isUnlogged, self[query].shownCountMax == .max {
            self[query].noteUnlogged()
            return
        }
        let index = self[query].list.index(of: node, among: .shown)
        guard index < self[query].shownCountMax else { return }
        if isUnlogged {
            self[query].noteUnlogged()
            return
        }
        self[query].steps.appendReplacement(of: handle, at: index)
    }

    /// Sets the marks of an element, which may show or hide it.
    mutating func setMarks(of node: ListNode, _ marks: ElementMarks, in query: QueryID) {
        let old = self[query].list.marks(of: node)
        guard old != marks else { return }
        beginChange(of: query)
        if old.isShown, !marks.isShown {
            if isStepped(query) { stepOut(node, of: query) }
            pinHiding(node, of: query)
        }
        self[query].setMarks(of: node, marks)
        if !old.isShown, marks.isShown {
            pinShown(node, of: query)
            if isStepped(query) { stepIn(node, of: query) }
        }
    }

    /// Marks an element as missing, because its entity is in neither tier although it was not deleted; or removes the
    /// mark.
    mutating func setMissing(_ node: ListNode, _ isMissing: Bool, in query: QueryID) {
        var marks = self[query].list.marks(of: node)
        if isMissing { marks.insert(.isMissing) } else { marks.remove(.isMissing) }
        setMarks(of: node, marks, in: query)
    }

    /// Ends a list at a sort key. Elements that layers inserted after it are removed.
    mutating func setHorizon(_ horizon: [UInt8]?, of query: QueryID) {
        self[query].setHorizon(horizon)
        guard let horizon, self[query].list.wholeCount > self[query].list.count else { return }
        while let last = self[query].list.last, self[query].list.marks(of: last).contains(.isExtra),
            horizon.lexicographicallyPrecedes(self[query].list.sortKey(of: last))
        {
            remove(last, of: query)
        }
    }

    /// Makes an element name another entity, at the same place.
    mutating func retarget(_ node: ListNode, to handle: ListHandle, in query: QueryID) {
        // No input reaches it: a confirmation with real ids is a larger unit.
        precondition(recorder.isMulti, "an element changes its entity only in a larger unit")
        beginChange(of: query)
        let old = self[query].list.handle(of: node)
        let place = self[query].list.place(of: node)
        self[query].setHandle(of: node, handle)
        self[query].setPlace(
            of: node, keys.addHolder(ListedKeys.Holder(query: query, node: node), to: handle))
        if let moved = keys.removeHolder(at: place, of: old) {
            self[moved.query].setPlace(of: moved.node, place)
        }
        markDirty(query)
        pinRetargeted(node, from: old, of: query)
    }

    /// Removes all elements of a list.
    mutating func removeAllElements(of query: QueryID) {
        if takeUnbuilt(of: query) != nil { dropKept(of: query) }
        guard self[query].list.wholeCount > 0 else { return }
        // No input reaches it: responses, fills and removals change whole lists, and each of them is a larger unit.
        precondition(recorder.isMulti || self[query].observerCount == 0, "a whole list changes only in a larger unit")
        beginChange(of: query)
        var nodes: [ListNode] = []
        self[query].list.forEachNode { nodes.append($0) }
        // Elements are removed from the back, so that no other element moves into the place of a pinned one.
        for node in nodes.reversed() { unlink(node, of: query) }
        self[query].removeAllElements()
    }

    // MARK: Units

    /// Begins a query's changes in the unit; keeps the elements that observers saw before.
    mutating func beginChange(of query: QueryID) {
        dropKept(of: query)
        guard self[query].observerCount > 0, !self[query].isTouched else { return }
        // No input reaches it: the order of calls inside this module makes every change part of a unit.
        precondition(recorder.isOpen, "query \(self[query].number) changes outside of a unit")
        recorder.noteTouched(query)
        self[query].beginUnit(isMulti: recorder.isMulti)
    }

    /// Returns true if an observer of a list needs an entity's value before a write, now or for a lag.
    func needsPayloadBefore(_ handle: ListHandle, in query: QueryID) -> Bool {
        guard self[query].observerCount > 0 else { return false }
        return self[query].listenerCount > 0 || keys.knownBy(handle) < self[query].lastLag
    }

    private func isStepped(_ query: QueryID) -> Bool { self[query].observerCount > 0 && !recorder.isMulti }

    // MARK: Steps

    /// Logs that a node became shown. Under a limit, the last shown element becomes hidden.
    private mutating func stepIn(_ node: ListNode, of query: QueryID) {
        let countMax = self[query].shownCountMax
        let index = self[query].list.index(of: node, among: .shown)
        guard index < countMax else { return }
        if self[query].list.shownCount > countMax {
            let pushed = self[query].list.handle(of: self[query].list.node(at: countMax, among: .shown))
            append(.remove(pushed, at: countMax - 1), to: query)
        }
        append(.add(self[query].list.handle(of: node), at: index), to: query)
    }

    /// Logs that a node is about to be hidden. Under a limit, the next element becomes shown.
    private mutating func stepOut(_ node: ListNode, of query: QueryID) {
        let countMax = self[query].shownCountMax
        let index = self[query].list.index(of: node, among: .shown)
        guard index < countMax else { return }
        append(.remove(self[query].list.handle(of: node), at: index), to: query)
        if self[query].list.shownCount > countMax {
            let pulled = self[query].list.handle(of: self[query].list.node(at: countMax, among: .shown))
            append(.add(pulled, at: countMax - 1), to: query)
        }
    }

    /// Logs how a move changes the shown elements.
    private mutating func step(_ node: ListNode, from: Int, to target: Int, in query: QueryID) {
        let countMax = self[query].shownCountMax
        let handle = self[query].list.handle(of: node)
        switch (from < countMax, target < countMax) {
        case (true, true):
            if from != target { append(.move(handle, from: from, to: target), to: query) }
        case (true, false):
            let pulled = self[query].list.handle(of: self[query].list.node(at: countMax, among: .shown))
            append(.remove(handle, at: from), to: query)
            append(.add(pulled, at: countMax - 1), to: query)
        case (false, true):
            let pushed = self[query].list.handle(of: self[query].list.node(at: countMax - 1, among: .shown))
            append(.remove(pushed, at: countMax - 1), to: query)
            append(.add(handle, at: target), to: query)
        case (false, false):
            break
        }
    }

    private mutating func append(_ step: HandleStep, to query: QueryID) {
        if self[query].steps.append(step) { recorder.becomeUncertain() }
    }
}
