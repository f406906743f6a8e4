import TidemarkModel

/// Computing relations and uses from pages of entities.
extension ViewSet {
    /// Computes a use, in a step of bounded length.
    ///
    /// Between two steps any change may be applied.
    ///
    /// - Parameter countMax: The most entities to read, at least 1.
    /// - Returns: True once the use is complete.
    package mutating func fill(_ id: ViewUseID, _ entities: any ListableEntities, countMax: Int) -> Bool {
        var page: FillPage?
        if let (type, last) = relationCursor(for: id) {
            let isJoint = fillsJointly(id, type, after: last)
            let read = FillPage(of: type, after: last, entities, countMax: countMax)
            fillRelations(read)
            guard isJoint else { return nextStep(of: id) == .complete }
            page = read
        }
        let isComplete = shapes[id.shape]?.fill(id.use, indexes, entities, page, countMax: countMax) ?? true
        collectMoves(of: id)
        return isComplete
    }

    /// The type that relations lack, and the id up to which they have it; nil if they lack none.
    ///
    /// - Parameter use: The use that is filled, whose rows are computed with the last type; nil to fill relations
    ///   alone.
    func relationCursor(for use: ViewUseID?) -> (type: ByteString, after: ByteString?)? {
        let types = indexes.typesToFill
        guard let first = types.first else { return nil }
        if let fillCursor, types.contains(fillCursor.type) { return (fillCursor.type, fillCursor.id) }
        let last = use.flatMap { jointType(of: $0) }
        return (types.first { $0 != last } ?? first, nil)
    }

    /// Gives entities to the relations that lack them.
    mutating func fillRelations(_ page: FillPage) {
        for entity in page.entities {
            guard let resource = entity.resource else { continue }
            indexes.fill(ViewKey(type: page.type, id: entity.id), resource)
        }
        guard page.isLast else {
            fillCursor = (page.type, page.entities.last?.id)
            return
        }
        indexes.endFilling(of: page.type)
        fillCursor = nil
    }

    /// The type from whose pages the rows of a use are computed, if they can be computed while relations are given the
    /// same pages, so that each entity is read once: no other source has the type.
    private func jointType(of id: ViewUseID) -> ByteString? {
        guard let shape = shapes[id.shape], let use = shape.uses[id.use]?.value, use.progress != .complete,
            shape.commonProgress == .complete, !shape.needsNoPage(use)
        else { return nil }
        let type = shape.plan.body.steps[0].source.type
        return shape.plan.sourcesByType[type]?.count == 1 ? type : nil
    }

    /// Returns true if rows of a use can be computed from the page that relations lack next: it is the last type that
    /// they lack, and the rows before the page are there.
    private func fillsJointly(_ id: ViewUseID, _ type: ByteString, after last: ByteString?) -> Bool {
        jointType(of: id) == type && indexes.typesToFill == [type]
            && shapes[id.shape]?.uses[id.use]?.value.progress == .upTo(last)
    }
}
