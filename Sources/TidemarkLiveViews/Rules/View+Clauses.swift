extension View {
    /// What a view, an include or a match asks for so far. The methods of ``ViewJoining`` and ``ViewClauses`` add to
    /// it.
    public struct Clauses: Sendable {
        /// The members of the rule, without `where` and `having`. The grammar bounds them.
        private var members: [(name: String, value: RulePart)] = []
        private var filters: [RulePart] = []
        private var conditionsOfGroups: [RulePart] = []

        init() {}

        /// Sets a member; the last value counts.
        mutating func set(_ name: String, _ value: RulePart) {
            members.removeAll { $0.name == name }
            members.append((name, value))
        }

        /// Adds an element to an array.
        mutating func append(_ element: RulePart, to name: String) {
            members[place(of: name, .array([]))].value.append(element)
        }

        /// Adds a member to an object.
        mutating func add(_ member: String, _ value: RulePart, to name: String) {
            members[place(of: name, .object([]))].value.append(member, value)
        }

        mutating func filter(_ filter: RulePart) { filters.append(filter) }

        mutating func having(_ filter: RulePart) { conditionsOfGroups.append(filter) }

        private mutating func place(of name: String, _ empty: RulePart) -> Int {
            if let index = members.firstIndex(where: { $0.name == name }) { return index }
            members.append((name, empty))
            return members.count - 1
        }

        /// True if nothing was added.
        var isEmpty: Bool { members.isEmpty && filters.isEmpty && conditionsOfGroups.isEmpty }

        /// The clauses as a JSON object.
        var part: RulePart {
            var all = members
            if let filter = RulePart.all(filters) { all.append(("where", filter)) }
            if let having = RulePart.all(conditionsOfGroups) { all.append(("having", having)) }
            return .object(all)
        }
    }
}
