/// The deferred fragments that lack a field, while an answer is walked from its root.
///
/// A fragment is pending when anything that only it selects is missing, however deep below its object: a field that is
/// selected outside too may hold members that the fragment alone selects. So a miss is noted where it is found, and the
/// object in which the fragment stands is told when it ends. All fields of a pending fragment are left out, also those
/// that were walked before the miss: the walk is done again then, with what the first one found.
///
/// - Source: Protocol/graphql.md, reading.
struct DeferralLedger {
    /// The fragments to leave out, by the place of their object. Bound: the objects of one answer.
    private let hidden: [ResponsePath: Set<Int>]
    /// The fragments to leave out in the objects that are open.
    private var openHidden: Set<Int> = []
    /// The fragments of open objects that lack a field.
    private var missing: Set<Int> = []
    /// The fragments that lack a field, by the place of their object: what a second walk leaves out.
    private(set) var found: [ResponsePath: Set<Int>] = [:]

    init(hiding hidden: [ResponsePath: Set<Int>] = [:]) { self.hidden = hidden }

    /// Begins an object in which fragments stand.
    mutating func begin(at path: ResponsePath) {
        if let own = hidden[path] { openHidden.formUnion(own) }
    }

    /// Tells whether a field is left out, because all fragments that select it are.
    func hides(_ field: CollectedField) -> Bool {
        !openHidden.isEmpty && !field.deferrals.isEmpty && field.deferrals.allSatisfy { openHidden.contains($0) }
    }

    /// Notes that a field is missing which only deferred fragments select.
    mutating func note(missing field: CollectedField) { missing.formUnion(field.deferrals) }

    /// Ends an object.
    ///
    /// - Returns: The fragments of the object that are pending.
    mutating func end(_ fragments: [Int], at path: ResponsePath) -> Set<Int> {
        guard !fragments.isEmpty, !missing.isEmpty || !openHidden.isEmpty else { return [] }
        let pending = missing.union(openHidden).intersection(fragments)
        abandon(fragments)
        if !pending.isEmpty { found[path] = pending }
        return pending
    }

    /// Ends an object of which nothing is shown: other objects at its level begin anew.
    mutating func abandon(_ fragments: [Int]) {
        missing.subtract(fragments)
        openHidden.subtract(fragments)
    }
}
