import Tidemark

/// A row of a view does not match its Swift type.
///
/// The view stays as it is: read it as ``/TidemarkJSON/JSONValue``, or change the type.
public struct ViewRowError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place of the row in the window, from 0.
    public var index: Int
    /// The member that cannot be decoded; empty for the whole row.
    public var field: JSONPointer
    /// The value of the member; nil when there is none.
    public var value: JSONValue?
    /// What the Swift type requires.
    public var reason: String

    /// The error in one line: `row 3: /name is missing: …`. Long values are cut.
    public var description: String {
        let place = field.tokens.isEmpty ? "the whole row" : field.description
        return "row \(index): \(place) is \(value.map { String($0.text.prefix(200)) } ?? "missing"): \(reason)"
    }
}

/// The observation of a view ended, although nobody cancelled it.
///
/// ```swift
/// do {
///     for try await update in try cache.observe(.named("board"), as: JSONValue.self) { print(update.rows.count) }
/// } catch let end as ViewEndedError {
///     print(end.reason == .dropped ? "nobody needs the board any more" : "observe it again")
/// }
/// ```
public struct ViewEndedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why an observation ended.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The defined view was dropped.
        case dropped
        /// Another rule with other parameters has the name of the defined view.
        case redefined
        /// The result has more rows than allowed.
        case limitExceeded = "limit_exceeded"
    }

    /// Why the observation ended.
    public var reason: Reason

    /// Makes an error.
    public init(reason: Reason) { self.reason = reason }

    /// The error in one line.
    public var description: String {
        switch reason {
        case .dropped: "the view was dropped: define it again to observe it"
        case .redefined: "the view was defined anew with other parameters: observe it with those"
        case .limitExceeded: "the view has more rows than allowed: observe it with a limit"
        }
    }
}
