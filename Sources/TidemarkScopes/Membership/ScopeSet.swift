import TidemarkModel
import TidemarkViews

/// The scopes of one library that clients have at the moment.
///
/// A pure value. It reads entities through ``/TidemarkViews/ViewEntities``, which has to show the server's data without
/// pending edits, and is given every change of one in the order in which the cache applied them. It starts nothing,
/// waits for nothing and writes nothing.
///
/// 1. ``prepare(_:countMax:)`` reads what the rules need, once.
/// 2. ``open(_:_:restoring:)`` gives a scope for a name and parameters. Requests with equal parameters share it.
/// 3. ``fill(_:_:countMax:identity:now:)`` evaluates its rules, in steps, until it is ready.
/// 4. ``decide(_:for:room:nonce:_:)`` returns the lines that a reader is sent next.
/// 5. ``apply(_:settling:through:now:_:)`` takes the changes of a unit and returns the scopes whose readers have
///    something to read.
///
/// - Source: Protocol/scopes.md.
package struct ScopeSet: Sendable {
    struct Name: Hashable, Sendable {
        let scope: ByteString
        let parameters: [UInt8]
    }

    /// A place where the rows of a use matter.
    struct Owner: Hashable, Sendable {
        let scope: ScopeHandle
        /// The index of a condition of `require`; nil for the use of a type.
        let requirement: Int?
    }

    let secret: ScopeSecret
    let limits: ScopeLimits
    /// The file in use.
    package private(set) var file: ScopeFile
    var views: ViewSet
    /// At most ``ScopeLimits/heldScopeCountMax``.
    var scopes: [ScopeHandle: HeldScope] = [:]
    private var handles: [Name: ScopeHandle] = [:]
    /// Who needs the rows of a use.
    var owners: [ViewUseID: Set<Owner>] = [:]
    private var nextHandle = 0
    /// True while the source library is stale. Heartbeats say so.
    package var isStale = false

    /// Creates a set without scopes.
    ///
    /// - Parameter types: The cache's own names of types, by their other names.
    package init(
        _ file: ScopeFile, _ secret: ScopeSecret, types: [ByteString: ByteString] = [:],
        limits: ScopeLimits = ScopeLimits()
    ) {
        self.file = file
        self.secret = secret
        self.limits = limits
        var viewLimits = ViewLimits()
        viewLimits.useCountMax = .max
        views = ViewSet(types: types, limits: viewLimits)
        for rule in ScopeSet.rules(of: file) { views.prepare(rule) }
    }

    /// Reads the entities that the rules of the file need, in a step of bounded length, so that the first request is as
    /// cheap as any: also one that is refused, and however often it is repeated.
    ///
    /// - Parameter countMax: The most entities to read, at least 1.
    /// - Returns: True once everything is read.
    package mutating func prepare(_ entities: any ListableEntities, countMax: Int) -> Bool {
        views.fillRules(entities, countMax: countMax)
    }

    private static func rules(of file: ScopeFile) -> Set<ViewRule> {
        Set(file.scopes.values.flatMap { $0.requirements + $0.types.map(\.rule) })
    }

    // MARK: Scopes

    /// Holds a scope, until it is released as often.
    ///
    /// - Parameter image: The stored log of the scope, if it has one.
    /// - Throws: ``ScopeRequestError`` for an unknown name, or parameters that the rules cannot use.
    package mutating func open(
        _ name: ByteString, _ parameters: ScopeParameters, restoring image: ScopeLogImage? = nil
    ) throws(ScopeRequestError) -> ScopeHandle {
        guard let definition = file.scopes[name] else { throw .notFound }
        let key = Name(scope: name, parameters: parameters.canonical)
        if let handle = handles[key] {
            scopes[handle]?.holderCount += 1
            return handle
        }
        guard scopes.count < limits.heldScopeCountMax else { throw .tooMany }
        let rules = definition.requirements + definition.types.map(\.rule)
        var bindings: [ViewBinding] = []
        for rule in rules { bindings.append(try parameters.binding(rule)) }
        let handle = ScopeHandle(rawValue: nextHandle)
        nextHandle += 1
        var scope = HeldScope(
            definition: definition, parameters: parameters, library: secret.libraryID(of: name, parameters), uses: [],
            matchCounts: definition.requirements.map { _ in 0 }, image: image)
        for (index, (rule, binding)) in zip(rules, bindings).enumerated() {
            // There are as many uses as the set allows scopes: no view refuses one.
            guard let use = views.follow(rule, binding) else { continue }
            let requirement = index < definition.requirements.count ? index : nil
            if let donor = owners[use]?.first { scope.adopt(scopes[donor.scope], donor, requirement, rule, views) }
            owners[use, default: []].insert(Owner(scope: handle, requirement: requirement))
            scope.uses.append(use)
        }
        scopes[handle] = scope
        handles[key] = handle
        return handle
    }

    /// Releases a scope. With the last holder it ends.
    ///
    /// - Returns: The log to store, with which the scope goes on when it is opened again; nil if others hold it, or it
    ///   has no log that goes on.
    package mutating func release(_ handle: ScopeHandle, _ entities: any ViewEntities) -> ScopeLogImage? {
        guard let count = scopes[handle]?.holderCount else { return nil }
        guard count == 1 else {
            scopes[handle]?.holderCount = count - 1
            return nil
        }
        let stored = image(handle, since: nil, entities)
        guard let scope = scopes.removeValue(forKey: handle) else { return nil }
        let key = Name(scope: scope.definition.name, parameters: scope.parameters.canonical)
        if handles[key] == handle { handles[key] = nil }
        release(scope.uses, of: handle)
        if case .replaced = scope.phase { return nil }
        return stored ?? scope.image
    }

    private mutating func release(_ uses: [ViewUseID], of handle: ScopeHandle) {
        for use in uses {
            owners[use] = owners[use]?.filter { $0.scope != handle }
            if owners[use]?.isEmpty == true { owners[use] = nil }
            views.release(use)
        }
    }

    /// Stops following what a scope shows: its log gets no further unit.
    private mutating func retire(_ handle: ScopeHandle) {
        release(scopes[handle]?.uses ?? [], of: handle)
        scopes[handle]?.uses = []
        scopes[handle]?.phase = .replaced
    }

    /// Returns what has to be stored of a scope's log, in the transaction that writes the entities.
    ///
    /// - Parameter position: The head of the log when it was stored last; nil for all of it.
    /// - Returns: nil without a log.
    package func image(
        _ handle: ScopeHandle, since position: ScopePosition?, _ entities: any ViewEntities
    ) -> ScopeLogImage? {
        guard let scope = scopes[handle], let log = scope.log else { return nil }
        return log.image(since: position, ShownEntities(scope: scope, views: views, entities: entities))
    }

    /// How a scope is: false while it is evaluated.
    package func isReady(_ handle: ScopeHandle) -> Bool {
        if case .filling? = scopes[handle]?.phase { false } else { true }
    }

    /// True if `require` does not hold: the answer is 403.
    package func isForbidden(_ handle: ScopeHandle) -> Bool {
        if case .forbidden? = scopes[handle]?.phase { true } else { false }
    }

    /// The library id of a scope.
    package func library(of handle: ScopeHandle) -> ByteString? { scopes[handle]?.library }

    /// The position behind the last unit of a scope; nil without a log.
    package func head(of handle: ScopeHandle) -> ScopePosition? { scopes[handle]?.log?.head }

    /// The entities that a scope shows.
    package func entityCount(of handle: ScopeHandle) -> Int { scopes[handle]?.log?.members.count ?? 0 }

    // MARK: The file

    /// Replaces the file.
    ///
    /// Scopes that it defines as before go on. What was open of others is not sent any more.
    ///
    /// - Returns: The scopes that it defines in another way: their readers are given a scope that is opened anew, and
    ///   get a state in a new epoch there. And those that it does not have: their readers are told that everything
    ///   left, and then the end.
    package mutating func replace(
        _ new: ScopeFile, now: Int64, _ entities: any ViewEntities
    ) -> (changed: [ScopeHandle], gone: [ScopeHandle]) {
        let (former, rules) = (ScopeSet.rules(of: file), ScopeSet.rules(of: new))
        for rule in former.subtracting(rules) { views.abandon(rule) }
        for rule in rules.subtracting(former) { views.prepare(rule) }
        file = new
        var changed: [ScopeHandle] = []
        var gone: [ScopeHandle] = []
        for (handle, scope) in scopes.sorted(by: { $0.key < $1.key }) {
            let definition = new.scopes[scope.definition.name]
            guard definition != scope.definition else { continue }
            handles[Name(scope: scope.definition.name, parameters: scope.parameters.canonical)] = nil
            if definition == nil {
                empty(handle, .notFound, now: now, [:], entities)
                gone.append(handle)
            } else {
                changed.append(handle)
            }
            retire(handle)
        }
        return (changed, gone)
    }

    /// Ends a scope for its readers: everything leaves as one unit. For readers whose parameters a changed file
    /// refuses.
    package mutating func close(
        _ handle: ScopeHandle, _ bye: ScopeBye, now: Int64, _ entities: any ViewEntities
    ) {
        empty(handle, bye, now: now, [:], entities)
        retire(handle)
    }
}
