import TidemarkModel
import TidemarkViews

/// What the source says of a unit beside its changes.
package struct ScopeOrigin: Hashable, Sendable {
    /// The edit that the unit settles.
    package let edit: ScopeEdit
    /// The scope through which the edit was made. Its author is told there also if the unit shows nothing.
    package let scope: ScopeHandle?

    /// Creates an origin.
    package init(_ edit: ScopeEdit, through scope: ScopeHandle?) {
        self.edit = edit
        self.scope = scope
    }
}

extension ScopeSet {
    /// Applies the changes of one unit at the source: an event, a batch, a transaction or an answer.
    ///
    /// - Parameters:
    ///   - changes: The entities that changed, of the server's data alone. Of several changes of one entity, the first
    ///     has the state before and the last the state after.
    ///   - origin: The edit that the unit settles; nil if it settles none.
    ///   - now: The time in seconds.
    ///   - entities: Reads the state after.
    /// - Returns: The scopes whose readers have something to read, and those that are to be filled again because they
    ///   are not forbidden any more.
    /// - Complexity: What changes in scopes, and one walk for each changed entity and rule over its type.
    package mutating func apply(
        _ changes: [ViewChange], settling origin: ScopeOrigin? = nil, now: Int64, _ entities: any ViewEntities
    ) -> [ScopeHandle] {
        let changes = merged(changes)
        _ = views.apply(changes.values.sorted { $0.key < $1.key }, entities)
        let moves = views.takeMoves()
        var units: [ScopeHandle: ScopeUnit] = [:]
        var touched: Set<ScopeHandle> = []
        let before = FormerStates(changes: changes, entities: entities)
        for (use, moves) in moves {
            for owner in owners[use] ?? [] { collect(moves, owner, before, &units, &touched) }
        }
        for change in changes.values where change.old.resource != nil && change.new.resource != nil {
            collectChanged(change, entities, &units)
        }
        if let scope = origin?.scope, scopes[scope] != nil { touched.insert(scope) }
        touched.formUnion(units.keys)
        return touched.sorted().filter { handle in
            var unit = units[handle] ?? ScopeUnit()
            if let origin, origin.scope == handle || !unit.showsNothing { unit.note = origin.edit }
            return append(unit, to: handle, now: now, before)
        }
    }

    /// One change for each entity.
    private func merged(_ changes: [ViewChange]) -> [ViewKey: ViewChange] {
        var merged: [ViewKey: ViewChange] = [:]
        for change in changes {
            let old = merged[change.key]?.old ?? change.old
            merged[change.key] = ViewChange(change.key, from: old, to: change.new)
        }
        return merged.filter { $0.value.old != $0.value.new }
    }

    /// Collects what moved in or out of a scope.
    private mutating func collect(
        _ moves: UseMoves, _ owner: Owner, _ before: FormerStates, _ units: inout [ScopeHandle: ScopeUnit],
        _ touched: inout Set<ScopeHandle>
    ) {
        guard let phase = scopes[owner.scope]?.phase else { return }
        if case .open = phase {
            touched.insert(owner.scope)
            if owner.requirement != nil {
                scopes[owner.scope]?.fold(moves, requirement: owner.requirement)
                return
            }
            guard let scope = scopes[owner.scope] else { return }
            units[owner.scope, default: ScopeUnit()].entered += moves.entered
            units[owner.scope, default: ScopeUnit()].left += moves.left.map { row in
                (before.former(row, scope), before.reason(row.key))
            }
        } else {
            touched.insert(owner.scope)
            scopes[owner.scope]?.fold(moves, requirement: owner.requirement)
        }
    }

    /// Collects the scopes that show something else of an entity that stays.
    private func collectChanged(
        _ change: ViewChange, _ entities: any ViewEntities, _ units: inout [ScopeHandle: ScopeUnit]
    ) {
        guard let number = views.number(of: change.key) else { return }
        let row = UseMoves.Row(number: number, key: change.key)
        // Scopes of one definition show the same of an entity.
        var shown: [ByteString: (old: [UInt8], differs: Bool)] = [:]
        for use in views.followedUses(showing: change.key, entities) {
            for owner in owners[use] ?? [] where owner.requirement == nil {
                guard let scope = scopes[owner.scope], case .open = scope.phase, scope.log?.members[number] != nil
                else { continue }
                let name = scope.definition.name
                let (old, differs) =
                    shown[name]
                    ?? {
                        let old = scope.sent(change.key, change.old) ?? []
                        return (old, old != scope.sent(change.key, change.new))
                    }()
                shown[name] = (old, differs)
                guard differs else { continue }
                units[owner.scope, default: ScopeUnit()].changed.append(ScopeUnit.Former(row: row, sent: old))
            }
        }
    }

    /// Appends a unit to a scope's log, or everything that its `require` lets in or keeps out.
    ///
    /// - Returns: True if readers have something to read.
    private mutating func append(
        _ unit: ScopeUnit, to handle: ScopeHandle, now: Int64, _ before: FormerStates
    ) -> Bool {
        // Without a copy of the scope, which would copy the log when it changes.
        guard let phase = scopes[handle]?.phase, let isAllowed = scopes[handle]?.isAllowed else { return false }
        switch phase {
        case .filling, .replaced: return false
        case .open where isAllowed:
            guard !unit.showsNothing || unit.note != nil else { return false }
            scopes[handle]?.log?.append(unit, now: now)
            renew(handle)
            return true
        case .open:
            // The rules go on with what the unit let in.
            let left = Set(unit.left.map { $0.former.row.number })
            var withheld = Set(scopes[handle]?.log?.members.numbers.filter { !left.contains($0) } ?? [])
            withheld.formUnion(unit.entered.map(\.number))
            empty(handle, .forbidden, now: now, before.changes, before.entities, settling: unit.note)
            scopes[handle]?.withheld = withheld
            scopes[handle]?.phase = .forbidden
            return true
        case .forbidden where isAllowed:
            guard scopes[handle]?.log != nil else {
                scopes[handle]?.phase = .filling
                return true
            }
            let rows = (scopes[handle]?.withheld ?? []).sorted().map {
                UseMoves.Row(number: $0, key: views.key(of: $0))
            }
            scopes[handle]?.withheld = []
            scopes[handle]?.phase = .open
            scopes[handle]?.log?.append(ScopeUnit(entered: rows, note: unit.note), now: now)
            scopes[handle]?.log?.end(nil)
            scopes[handle]?.bye = nil
            return true
        case .forbidden: return false
        }
    }

    /// Begins a log anew that is about to run out of positions: its readers get a state.
    private mutating func renew(_ handle: ScopeHandle) {
        guard let log = scopes[handle]?.log, log.head.isNearTheEnd else { return }
        let identity = Array(secret.code("renewed", [log.identity]).prefix(16))
        scopes[handle]?.log = ScopeLog(identity: identity, numbers: log.members.numbers, limits: limits)
    }

    /// Lets everything leave as one unit, and ends the log.
    mutating func empty(
        _ handle: ScopeHandle, _ bye: ScopeBye, now: Int64, _ changes: [ViewKey: ViewChange],
        _ entities: any ViewEntities, settling edit: ScopeEdit? = nil
    ) {
        scopes[handle]?.bye = bye
        guard let scope = scopes[handle], let members = scope.log?.members else { return }
        let before = FormerStates(changes: changes, entities: entities)
        let rows = members.numbers.map { UseMoves.Row(number: $0, key: views.key(of: $0)) }
        let unit = ScopeUnit(left: rows.map { (before.former($0, scope), before.reason($0.key)) }, note: edit)
        scopes[handle]?.log?.append(unit, now: now)
        scopes[handle]?.log?.end(bye)
    }
}

/// The entities as they were before a unit.
struct FormerStates {
    let changes: [ViewKey: ViewChange]
    let entities: any ViewEntities

    /// What a scope sent of an entity before.
    func former(_ row: UseMoves.Row, _ scope: HeldScope) -> ScopeUnit.Former {
        let state = changes[row.key]?.old ?? entities.state(of: row.key)
        return ScopeUnit.Former(row: row, sent: scope.sent(row.key, state) ?? [])
    }

    /// Why an entity left: it was deleted at the source, or it is outside the scope.
    func reason(_ key: ViewKey) -> DepartureReason { changes[key]?.new == .deleted ? .deleted : .scope }
}
