/// What can be joined with further sources: a ``View``, a ``View/Include``, and a ``View/Match`` of `exists` or
/// `absent`.
public protocol ViewJoining: Sendable {
    /// What was asked for so far.
    var clauses: View.Clauses { get set }
}

extension ViewJoining {
    /// Joins a source: each row becomes one for each match, and is dropped without a match.
    ///
    /// - Parameters:
    ///   - source: The entities that are joined.
    ///   - first: What belongs together.
    ///   - others: Further conditions; all of them have to hold.
    ///   - filter: What a match has to fulfil besides; it may use earlier sources.
    public func join<R>(
        _ source: View.Source<R>, on first: View.Condition, _ others: View.Condition...,
        where filter: View.Filter? = nil
    ) -> Self {
        adding("inner", View.Match(source, [first] + others, filter))
    }

    /// Joins a source: each row becomes one for each match, and stays without a match.
    public func leftJoin<R>(
        _ source: View.Source<R>, on first: View.Condition, _ others: View.Condition...,
        where filter: View.Filter? = nil
    ) -> Self {
        adding("left", View.Match(source, [first] + others, filter))
    }

    /// Keeps the rows for which there is a match. Only its own conditions and joins can use the source.
    public func exists<R>(
        _ source: View.Source<R>, on first: View.Condition, _ others: View.Condition...,
        where filter: View.Filter? = nil
    ) -> Self {
        exists(View.Match(source, [first] + others, filter))
    }

    /// Keeps the rows for which there is no match. Only its own conditions and joins can use the source.
    public func absent<R>(
        _ source: View.Source<R>, on first: View.Condition, _ others: View.Condition...,
        where filter: View.Filter? = nil
    ) -> Self {
        absent(View.Match(source, [first] + others, filter))
    }

    /// Keeps the rows for which there is a match that may have joins of its own.
    public func exists(_ match: View.Match) -> Self { adding("exists", match) }

    /// Keeps the rows for which there is no match; the match may have joins of its own.
    public func absent(_ match: View.Match) -> Self { adding("absent", match) }

    private func adding(_ kind: String, _ match: View.Match) -> Self {
        var match = match
        if kind != "inner" { match.clauses.set("kind", .text(kind)) }
        return changed { $0.append(match.clauses.part, to: "joins") }
    }

    func changed(_ change: (inout View.Clauses) -> Void) -> Self {
        var copy = self
        change(&copy.clauses)
        return copy
    }
}

extension View {
    /// The match that `exists` and `absent` look for, where it needs joins of its own.
    ///
    /// ```swift
    /// let user = View.Source(type: "user"), membership = View.Source(type: "membership")
    /// let team = View.Source(type: "team")
    /// let member = View.Match(membership, on: membership["/user"].refers(to: user))
    ///     .join(team, on: membership["/team"].refers(to: team), where: team["/active"] == true)
    /// print(try View(user).exists(member).json())
    /// ```
    public struct Match: ViewJoining {
        /// What was asked for so far.
        public var clauses = Clauses()

        /// Makes a match.
        ///
        /// - Parameters:
        ///   - source: The entities that are joined.
        ///   - first: What belongs together.
        ///   - others: Further conditions; all of them have to hold.
        ///   - filter: What a match has to fulfil besides.
        public init<R>(
            _ source: Source<R>, on first: Condition, _ others: Condition..., where filter: Filter? = nil
        ) {
            self.init(source, [first] + others, filter)
        }

        init<R>(_ source: Source<R>, _ conditions: [Condition], _ filter: Filter?) {
            clauses.name(source)
            clauses.set("on", Condition.object(conditions, of: source.alias))
            if let filter { clauses.filter(filter.part) }
        }
    }
}

extension View.Clauses {
    /// Sets the type and the alias of a source.
    mutating func name<R>(_ source: View.Source<R>) {
        set("type", .text(source.type))
        if source.alias != source.type { set("as", .text(source.alias)) }
    }
}
