import Tidemark
import TidemarkModel
import TidemarkViews

/// A question over entities of one or more types, whose answer a cache keeps true.
///
/// ```swift
/// struct Issue: PatchableResource {
///     static let resourceType = "issue"
///     static var fieldNames: [PartialKeyPath<Issue>: String] {
///         [\.title: "title", \.project: "project", \.created: "created"]
///     }
///     var id: String
///     var title: String
///     var project: String
///     var created: Int
/// }
/// struct Project: PatchableResource {
///     static let resourceType = "project"
///     static var fieldNames: [PartialKeyPath<Project>: String] { [\.name: "name", \.status: "status"] }
///     var id: String
///     var name: String
///     var status: String
/// }
/// struct Row: Decodable {
///     var title: String
///     var project: String
/// }
/// let issue = View.Source(Issue.self), project = View.Source(Project.self)
/// let active = View(issue)
///     .join(project, on: issue.project.refers(to: project))
///     .filter(project.status == View.param("status"))
///     .select("title", issue.title).select("project", project.name)
///     .order(by: issue.created, .descending).limit(50)
/// for try await update in try cache.observe(active, ["status": "active"], as: Row.self) {
///     print(update.rows.map(\.title))
/// }
/// ```
///
/// A view is a value: each method returns a changed copy. The compiler checks the fields and what they are compared
/// with; everything else is checked by ``json()`` and by the first use, whose error names the place inside the rule.
///
/// - Source: Protocol/views.md.
public struct View: ViewClauses {
    private enum Origin {
        case built
        case text(String)
        case name(String)
    }

    /// What was asked for so far.
    public var clauses = Clauses()
    private var origin = Origin.built

    /// Makes a view of the entities of a source.
    ///
    /// - Parameters:
    ///   - source: The entities that rows begin with.
    ///   - filter: Which of them count. A filter over this source alone is best here, because views share it.
    public init<R>(_ source: Source<R>, where filter: Filter? = nil) {
        var from = Clauses()
        from.name(source)
        if let filter { from.filter(filter.part) }
        clauses.set("from", from.part)
    }

    /// Makes a view of the entities of a type.
    public init<R: Resource>(_ type: R.Type) { self.init(Source(type)) }

    /// Makes a view of a rule as text. It cannot be changed by methods.
    ///
    /// ```swift
    /// let kinds = View(json: #"{"from":"file","group":{"kind":"file/kind"},"aggregates":{"n":{"count":true}}}"#)
    /// print(try await cache.read(kinds, as: JSONValue.self).rows)
    /// ```
    public init(json: String) { origin = .text(json) }

    /// Names a view that ``Tidemark/SyncCache/define(_:_:library:)`` defined. It cannot be changed by methods.
    public static func named(_ name: String) -> View {
        var view = View(json: "")
        view.origin = .name(name)
        return view
    }

    /// Asks for the number of rows before the window is cut: ``ViewRows/total``.
    public func total() -> View { changed { $0.set("total", .flag(true)) } }

    /// Checks the view and returns its rule as canonical JSON.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` at the first mistake, with its place inside the rule.
    public func json() throws(CacheError) -> String { String(decoding: try rule().canonical, as: UTF8.self) }

    /// Checks the view.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams`, also for the name of a defined view.
    package func rule() throws(CacheError) -> ViewRule {
        switch try requested() {
        case .rule(let rule): return rule
        case .name(let name): throw CacheError(.invalidParams, "\(name) is the name of a view: pass its rule")
        }
    }

    /// Checks the view unless it is a name.
    package func requested() throws(CacheError) -> RequestedView {
        let part = clauses.part
        if let mistake = part.mistake { throw mistake }
        let text: [UInt8]
        switch origin {
        case .built: text = part.node.canonical
        case .text(let json): text = Array(json.utf8)
        case .name(let name):
            guard clauses.isEmpty else {
                throw CacheError(.invalidParams, "the view named \(name) cannot be changed: define another one")
            }
            return .name(ByteString(name))
        }
        if case .text = origin, !clauses.isEmpty {
            throw CacheError(.invalidParams, "a view of JSON cannot be changed by methods: change its text")
        }
        do throws(ViewRuleError) {
            return .rule(try ViewRule(json: text))
        } catch {
            throw CacheError(error)
        }
    }
}
