import TidemarkModel

/// The only functions that change a list: each keeps the reverse index, the pins and the steps of observers in line.
extension QueryIndex {
    /// Puts an element in.
    ///
    /// - Parameter index: Among all elements.
    @discardableResult
    mutating func insert(
        _ handle: UInt32, sortKey: [UInt8] = [], marks: ElementMarks = [], at index: Int, in query: UInt32
    ) -> UInt32 {
        beginChange(of: query)
        let node = self[query].list.insert(handle, sortKey: sortKey, marks: marks, at: index)
        let place = keys.addHolder(ListedKeys.Holder(query: query, node: node), to: handle)
        self[query].list.setPlace(of: node, place)
        if marks.contains(.isLayered) { self[query].layeredNodes.insert(node) }
        pinInserted(node, of: query)
        if marks.isShown, isStepped(query) { stepIn(node, of: query) }
        if !marks.contains(.isExtra) { markDirty(query) }
        return node
    }

    /// Takes an element out.
    mutating func remove(_ node: UInt32, of query: UInt32) {
        beginChange(of: query)
        let marks = self[query].list.marks(of: node)
        if marks.isShown, isStepped(query) { stepOut(node, of: query) }
        take(node, of: query)
        if !marks.contains(.isExtra) { markDirty(query) }
    }

    private mutating func take(_ node: UInt32, of query: UInt32) {
        let handle = self[query].list.handle(of: node)
        let place = self[query].list.place(of: node)
        if self[query].list.marks(of: node).contains(.isLayered) { self[query].layeredNodes.remove(node) }
        unpinRemoved(node, of: query)
        self[query].list.remove(node)
        if let moved = keys.removeHolder(at: place, of: handle) {
            self[moved.query].list.setPlace(of: moved.node, place)
        }
    }

    /// Gives an element the place that a new sort key asks for.
    mutating func resort(_ node: UInt32, _ sortKey: [UInt8], in query: UInt32) {
        beginChange(of: query)
        let from = self[query].list.index(of: node, among: .all)
        var target = self[query].list.lowerBound(sortKey, among: .all)
        // The element itself stands before its new place, with its old key.
        if target > from { target -= 1 }
        let marks = self[query].list.marks(of: node)
        if target != from, marks.isShown, self[query].observerCount > 0 {
            let shownFrom = self[query].list.index(of: node, among: .shown)
            var shownTarget = self[query].list.lowerBound(sortKey, among: .shown)
            if shownTarget > shownFrom { shownTarget -= 1 }
            if isStepped(query) { step(node, from: shownFrom, to: shownTarget, in: query) }
            pinMoving(node, from: shownFrom, to: shownTarget, of: query)
        }
        self[query].list.setSortKey(of: node, sortKey)
        if target != from { self[query].list.move(node, to: target) }
        if !marks.contains(.isExtra) { markDirty(query) }
    }

    /// An element's resource changed where it stands.
    mutating func replace(_ node: UInt32, in query: UInt32) {
        dropKept(of: query)
        guard self[query].observerCount > 0 else { return }
        beginChange(of: query)
        guard isStepped(query), self[query].list.isShown(node) else { return }
        let handle = self[query].list.handle(of: node)
        // Where layers are involved it may look as before: that is only known when the unit ends.
        let isUnlogged = !unit.isUncertain && !isOldWanted(handle, in: query)
        if isUnlogged, self[query].shownCountMax == .max {
            self[query].isUnlogged = true
            return
        }
        let index = self[query].list.index(of: node, among: .shown)
        guard index < self[query].shownCountMax else { return }
        if isUnlogged {
            self[query].isUnlogged = true
            return
        }
        for step in self[query].steps {
            switch step {
            // An element that was added in the same unit is added as it is at its end.
            case .add(handle, _), .replace(handle, _): return
            case .add, .replace, .remove, .move: break
            }
        }
        self[query].steps.append(.replace(handle, at: index))
    }

    /// Marks an element: it may come to be shown, or not to be.
    mutating func setMarks(of node: UInt32, _ marks: ElementMarks, in query: UInt32) {
        let old = self[query].list.marks(of: node)
        guard old != marks else { return }
        beginChange(of: query)
        if old.isShown, !marks.isShown {
            if isStepped(query) { stepOut(node, of: query) }
            pinHiding(node, of: query)
        }
        self[query].list.setMarks(of: node, marks)
        if !old.isShown, marks.isShown {
            pinShown(node, of: query)
            if isStepped(query) { stepIn(node, of: query) }
        }
        if marks.contains(.isLayered) {
            self[query].layeredNodes.insert(node)
        } else {
            self[query].layeredNodes.remove(node)
        }
    }

    /// An element's entity is gone without having been deleted, or is back.
    mutating func setMissing(_ node: UInt32, _ isMissing: Bool, in query: UInt32) {
        var marks = self[query].list.marks(of: node)
        if isMissing { marks.insert(.isMissing) } else { marks.remove(.isMissing) }
        setMarks(of: node, marks, in: query)
    }

    /// The list is known up to a sort key: what layers put behind it goes.
    mutating func setHorizon(_ horizon: [UInt8]?, of query: UInt32) {
        self[query].horizon = horizon
        guard let horizon, self[query].list.wholeCount > self[query].list.count else { return }
        while let last = self[query].list.last, self[query].list.marks(of: last).contains(.isExtra),
            horizon.lexicographicallyPrecedes(self[query].list.sortKey(of: last))
        {
            remove(last, of: query)
        }
    }

    /// Gives an element's place to another entity.
    mutating func retarget(_ node: UInt32, to handle: UInt32, in query: UInt32) {
        // No input reaches it: a confirmation that gives real ids is one of the larger units.
        precondition(unit.isMulti, "an element changes its entity only in a larger unit")
        beginChange(of: query)
        let old = self[query].list.handle(of: node)
        let place = self[query].list.place(of: node)
        self[query].list.setHandle(of: node, handle)
        self[query].list.setPlace(
            of: node, keys.addHolder(ListedKeys.Holder(query: query, node: node), to: handle))
        if let moved = keys.removeHolder(at: place, of: old) {
            self[moved.query].list.setPlace(of: moved.node, place)
        }
        markDirty(query)
        pinRetargeted(node, from: old, of: query)
    }

    /// Empties a list.
    mutating func removeAllElements(of query: UInt32) {
        if takeUnbuilt(of: query) != nil { dropKept(of: query) }
        guard self[query].list.wholeCount > 0 else { return }
        // No input reaches it: answers, and lists that are filled or removed, are larger units.
        precondition(unit.isMulti || self[query].observerCount == 0, "a whole list changes only in a larger unit")
        beginChange(of: query)
        var nodes: [UInt32] = []
        self[query].list.forEachNode { nodes.append($0) }
        // From the back: so nothing takes the place of a pinned one.
        for node in nodes.reversed() { take(node, of: query) }
        self[query].list.removeAll()
    }

    // MARK: Units

    /// Remembers what observers saw before.
    mutating func beginChange(of query: UInt32) {
        dropKept(of: query)
        guard self[query].observerCount > 0, !self[query].isTouched else { return }
        // No input reaches it: an order of calls inside this module; every change is part of a unit.
        precondition(unit.isOpen, "query \(self[query].number) changes outside of a unit")
        self[query].isTouched = true
        unit.touched.append(query)
        if unit.isMulti { self[query].before = self[query].list.shownPrefix(self[query].shownCountMax) }
    }

    /// Whether somebody who observes a list is told what an element was before a write, or has still to note it.
    func isOldWanted(_ handle: UInt32, in query: UInt32) -> Bool {
        guard self[query].observerCount > 0 else { return false }
        return self[query].listenerCount > 0 || keys.knownBy(handle) < self[query].lastLag
    }

    private func isStepped(_ query: UInt32) -> Bool { self[query].observerCount > 0 && !unit.isMulti }

    // MARK: Steps

    /// Notes that a node has come to be shown: where there is a limit it pushes the last one out.
    private mutating func stepIn(_ node: UInt32, of query: UInt32) {
        let countMax = self[query].shownCountMax
        let index = self[query].list.index(of: node, among: .shown)
        guard index < countMax else { return }
        if self[query].list.shownCount > countMax {
            let pushed = self[query].list.handle(of: self[query].list.node(at: countMax, among: .shown))
            append(.remove(pushed, at: countMax - 1), to: query)
        }
        append(.add(self[query].list.handle(of: node), at: index), to: query)
    }

    /// Notes that a node is about not to be shown any more: where there is a limit the next one takes its turn.
    private mutating func stepOut(_ node: UInt32, of query: UInt32) {
        let countMax = self[query].shownCountMax
        let index = self[query].list.index(of: node, among: .shown)
        guard index < countMax else { return }
        append(.remove(self[query].list.handle(of: node), at: index), to: query)
        if self[query].list.shownCount > countMax {
            let pulled = self[query].list.handle(of: self[query].list.node(at: countMax, among: .shown))
            append(.add(pulled, at: countMax - 1), to: query)
        }
    }

    /// Notes what a move means for the part that is shown.
    private mutating func step(_ node: UInt32, from: Int, to target: Int, in query: UInt32) {
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

    /// Adds a step; one that undoes or goes on from the last one is taken together with it.
    ///
    /// A layer takes an element from one place and shows it at another: two steps, and one for an observer.
    private mutating func append(_ step: HandleStep, to query: UInt32) {
        guard let last = self[query].steps.last else { return self[query].steps.append(step) }
        switch (last, step) {
        case (.add(let added, let index), .remove(let removed, let place)) where added == removed && index == place:
            self[query].steps.removeLast()
        case (.move(let moved, let from, let index), .remove(let removed, let place))
        where moved == removed && index == place:
            self[query].steps.removeLast()
            append(.remove(removed, at: from), to: query)
        case (.replace(let replaced, let index), .remove(let removed, let place))
        where replaced == removed && index == place:
            self[query].steps.removeLast()
            append(.remove(removed, at: index), to: query)
        case (.remove(let removed, let from), .add(let added, let target)) where removed == added:
            self[query].steps.removeLast()
            if from != target { self[query].steps.append(.move(added, from: from, to: target)) }
            self[query].steps.append(.replace(added, at: target))
            unit.isUncertain = true
        default:
            self[query].steps.append(step)
        }
    }
}
