import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkViews

/// How a view is computed, and why a row or an entity is in it or not.
///
/// - Source: Protocol/views.md, explanations.
public struct ExplainedView: Hashable, Sendable {
    /// What to explain beside the plan.
    public enum Subject: Hashable, Sendable {
        /// Only the plan.
        case plan
        /// A shown row by its key: the keys of its entities in the order of the sources, such as `issue:7`, and nil for
        /// a left join without a match.
        case row([String?])
        /// A shown row by its key as JSON, as ``Presence/rows(_:)`` has it. The key of a group is an array of its
        /// values.
        case rowKey(String)
        /// An entity, by its type and its id.
        case entity(type: String, id: String)
    }

    /// A step of the computation.
    public struct Step: Hashable, Sendable {
        /// What the step does: `from`, `inner`, `left`, `exists`, `absent`, `where`, `group`, `include` or `order`.
        public let operation: String
        /// The alias of the source, or the name of the include; nil for a step over all sources.
        public let source: String?
        /// The value by which the step finds matches; nil if it needs no lookup.
        public let index: String?
        /// The number of the source's entities, or of rows.
        public let rowCount: Int
        /// An estimate of the memory that the step takes, in bytes.
        public let byteCount: Int
    }

    /// An entity behind a row.
    public struct Entity: Hashable, Sendable {
        /// The key as `type:id`.
        public let key: String
        /// The sequence of the event that wrote the entity last; nil if that write had none.
        public let sequence: EventSequence?
        /// The line number of that event in its input; nil if it is not known any more.
        public let line: Int64?
    }

    /// The first condition that failed, in the order of the rule, for the row that came furthest.
    public struct Reason: Hashable, Sendable {
        /// The JSON Pointer to the condition in the rule; `/limit` for a row outside the window.
        public let place: String
        /// The condition as JSON; nil for a source or a window.
        public let condition: String?
        /// The value that failed, as JSON; nil if there is none.
        public let value: String?
        /// The key of the entity whose value failed; nil for a group.
        public let entity: String?
        /// True if the cache does not show the entity at all.
        public let isUnknown: Bool
    }

    /// Where an entity is.
    public enum Presence: Hashable, Sendable {
        /// It is in these rows, each given by its key as JSON.
        case rows([String])
        /// It is in no row.
        case absent(Reason)
    }

    /// The steps in their order.
    public let steps: [Step]
    /// The keys of the first hundred entities that the view refers to and that the cache does not know.
    public let missing: [String]
    /// The entities behind the row; nil if the subject is no row.
    public let entities: [Entity]?
    /// Where the entity is; nil if the subject is no entity.
    public let presence: Presence?

    init(_ explanation: ViewExplanation) {
        steps = explanation.plan.map(Step.init)
        missing = explanation.missing.map(\.text.description)
        entities = explanation.sources?.map(Entity.init)
        presence =
            switch explanation.entity {
            case nil: nil
            case .rows(let keys)?: .rows(keys.map { String(decoding: $0.text, as: UTF8.self) })
            case .failed(let failure)?: .absent(Reason(failure))
            }
    }
}

extension ExplainedView.Subject {
    /// The subject as the engine takes it.
    var part: ExplainedPart {
        switch self {
        case .plan: return .plan
        case .rowKey(let json): return .row(Array(json.utf8))
        case .entity(let type, let id):
            return .entity(type: ByteString(type), id: EntityKey.canonicalID(ByteString(id)))
        case .row(let keys):
            var line = JSONLine()
            line.array { line in
                for key in keys {
                    if let key { line.value(ByteString(key)) } else { line.value(json: Array("null".utf8)) }
                }
            }
            return .row(line.bytes)
        }
    }
}

extension ExplainedView.Step {
    fileprivate init(_ line: ViewPlanLine) {
        self.init(
            operation: line.operation, source: line.source, index: line.index, rowCount: line.rows,
            byteCount: line.bytes)
    }
}

extension ExplainedView.Entity {
    fileprivate init(_ source: ViewExplanation.Source) {
        self.init(key: source.key.text.description, sequence: source.sequence, line: source.line)
    }
}

extension ExplainedView.Reason {
    fileprivate init(_ failure: ViewFailure) {
        self.init(
            place: failure.at, condition: failure.condition.map { String(decoding: $0, as: UTF8.self) },
            value: failure.value.map { String(decoding: $0, as: UTF8.self) },
            entity: failure.entity?.text.description, isUnknown: failure.isMiss)
    }
}
