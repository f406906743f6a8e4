import TidemarkModel

/// The origin of an entity's value, and the lists and observers that show it.
public struct EntityExplanation: Hashable, Sendable {
    /// The kind of change that wrote a value.
    public enum Writer: String, Sendable, CaseIterable {
        case event
        /// An answer to a query.
        case answer
        case transaction
        /// A server's confirmation of an optimistic layer.
        case confirmation
    }

    public struct Field: Hashable, Sendable {
        public var name: ByteString
        public var writer: Writer
        /// The sequence of the write; nil when it had none.
        public var sequence: EventSequence?
        /// The time of the write, in milliseconds since 1970.
        public var writtenAt: Int64
        /// The time since the write, in milliseconds, by the cache's clock.
        public var age: Int64 = 0
        /// The age in seconds at which the field is too old; nil: it never is.
        public var maxAge: Int?
        /// The origin of the rule that set `maxAge`; nil when no rule applies.
        public var rule: AgeRuleOrigin?

        /// Whether the field is too old for a read without a tolerance.
        public var isStale: Bool { maxAge.map { age >= Int64($0) * 1_000 } ?? false }

        package init(name: ByteString, writer: Writer, sequence: EventSequence?, writtenAt: Int64) {
            self.name = name
            self.writer = writer
            self.sequence = sequence
            self.writtenAt = writtenAt
        }
    }

    /// The origin of an age rule, from the least specific to the most.
    public enum AgeRuleOrigin: String, Sendable, CaseIterable {
        /// The policy's rule for the type, or for the type of the object in the field.
        case schemaType = "schema_type"
        /// The policy's rule for the field, or for a field nested in it.
        case schemaField = "schema_field"
        /// The rule for a type in the `max_ages` of the read.
        case operationType = "operation_type"
        /// The rule for a field in the `max_ages` of the read.
        case operationField = "operation_field"

        init?(_ origin: AgeLimit.Origin) {
            switch origin {
            case .none: return nil
            case .schemaType: self = .schemaType
            case .schemaField: self = .schemaField
            case .operationType: self = .operationType
            case .operationField: self = .operationField
            }
        }
    }

    public struct Place: Hashable, Sendable {
        public var query: QueryKey
        /// The index of the entity in the list, from 0.
        public var index: Int
        public var isStale: Bool

        package init(query: QueryKey, index: Int, isStale: Bool) {
            self.query = query
            self.index = index
            self.isStale = isStale
        }
    }

    /// The reason why there is no entity; nil when there is one.
    public var miss: EntityRead.Miss?
    /// The time and the sequence of the deletion; nil when the entity was not deleted, or when its tombstone is gone.
    public var deletion: Field?
    /// The fields in the order of the resource.
    public var fields: [Field]
    /// The pending ids of the layers that change the entity, oldest first.
    public var layers: [ByteString]
    /// The lists that contain the entity, in the order of the queries' keys.
    public var queries: [Place]
    public var observerCount: Int

    package init(
        miss: EntityRead.Miss?, deletion: Field?, fields: [Field], layers: [ByteString] = [], queries: [Place],
        observerCount: Int
    ) {
        self.miss = miss
        self.deletion = deletion
        self.fields = fields
        self.layers = layers
        self.queries = queries
        self.observerCount = observerCount
    }
}
