/// The clauses that a ``View`` shares with a ``View/Include``, whose rows are nested in those of another.
public protocol ViewClauses: ViewJoining {}

extension View {
    /// Whether rows with the least or with the greatest value of a component of an order come first.
    public enum Direction: Sendable {
        /// The least value first.
        case ascending
        /// The greatest value first.
        case descending
    }
}

extension ViewClauses {
    /// Keeps the rows that fulfil a predicate. Further calls narrow the result: a row must fulfil all predicates.
    ///
    /// It may use every source, and the aggregates of includes: ``View/output(_:)``.
    public func filter(_ filter: View.Filter) -> Self { changed { $0.filter(filter.part) } }

    /// Adds a member to the rows. Without any, a row is the resource of the only source, or an object of alias and
    /// resource.
    public func select<Value>(_ name: String, _ field: View.Field<Value>) -> Self {
        changed { $0.add(name, field.path, to: "select") }
    }

    // MARK: Groups

    /// Forms groups: rows with equal values become one row, which has the value under the name.
    public func group<Value>(_ name: String, by field: View.Field<Value>) -> Self {
        changed { $0.add(name, field.path, to: "group") }
    }

    /// Adds a value to the row of each group; without a group there is one row for everything.
    public func aggregate(_ name: String, _ aggregate: View.Aggregate) -> Self {
        changed { $0.add(name, aggregate.part, to: "aggregates") }
    }

    /// Keeps the groups that fulfil a predicate over their row, whose members ``View/output(_:)`` names. Further calls
    /// narrow the result.
    public func having(_ filter: View.Filter) -> Self { changed { $0.having(filter.part) } }

    // MARK: Nesting, order and window

    /// Adds a nested result to each row.
    public func include(_ name: String, _ include: View.Include) -> Self {
        changed { $0.add(name, include.clauses.part, to: "include") }
    }

    /// Orders the rows; later calls order those that earlier ones leave equal. Rows that are equal in all are ordered
    /// by their entities.
    public func order<Value>(by field: View.Field<Value>, _ direction: View.Direction = .ascending) -> Self {
        let members: [(name: String, value: RulePart)] = [("path", field.path)]
        let descending: [(name: String, value: RulePart)] = [("direction", .text("desc"))]
        return changed {
            $0.append(.object(direction == .descending ? members + descending : members), to: "order")
        }
    }

    /// Cuts the rows behind a number of them, from 1 on.
    public func limit(_ count: Int) -> Self { changed { $0.set("limit", .number(count)) } }

    /// Leaves out the first rows.
    public func offset(_ count: Int) -> Self { changed { $0.set("offset", .number(count)) } }
}

extension View {
    /// A nested result of each row: a list, one row or null, an object of aggregates, or a list of groups.
    ///
    /// ```swift
    /// let issue = View.Source(type: "issue"), comment = View.Source(type: "comment")
    /// let newest = View.Include(comment, on: comment["/issue"].refers(to: issue))
    ///     .order(by: comment["/created"], .descending).limit(3)
    /// print(try View(issue).include("comments", newest).json())
    /// ```
    public struct Include: ViewClauses {
        /// What was asked for so far.
        public var clauses = Clauses()

        /// Makes an include that lists all matches.
        ///
        /// - Parameters:
        ///   - source: The entities that are joined.
        ///   - first: What belongs together.
        ///   - others: Further conditions; all of them have to hold.
        ///   - filter: What a match has to fulfil besides.
        public init<R>(
            _ source: Source<R>, on first: Condition, _ others: Condition..., where filter: Filter? = nil
        ) {
            clauses = Match(source, [first] + others, filter).clauses
        }

        /// Replaces the list by its first row, or null.
        public func one() -> Include { changed { $0.set("one", .flag(true)) } }
    }
}
