import TidemarkModel

/// Where an entity's value comes from and who shows it.
public struct EntityExplanation: Hashable, Sendable {
    /// What wrote a value.
    public enum Writer: String, Sendable, CaseIterable {
        case event
        /// An answer to a query.
        case answer
        case transaction
        /// What a server confirmed of an optimistic layer.
        case confirmation
    }

    public struct Field: Hashable, Sendable {
        public var name: ByteString
        public var writer: Writer
        /// nil when it had none.
        public var sequence: EventSequence?
        /// Milliseconds since 1970.
        public var writtenAt: Int64
        /// How long ago that was, in milliseconds, by the cache's clock.
        public var age: Int64 = 0
        /// Seconds at which it is too old; nil: it never is.
        public var maxAge: Int?
        /// Whose rule that is; nil when there is none.
        public var rule: AgeRuleOrigin?

        /// It is too old for a read without a tolerance.
        public var isStale: Bool { maxAge.map { age >= Int64($0) * 1_000 } ?? false }

        package init(name: ByteString, writer: Writer, sequence: EventSequence?, writtenAt: Int64) {
            self.name = name
            self.writer = writer
            self.sequence = sequence
            self.writtenAt = writtenAt
        }
    }

    /// Who says how old a field may be, from the least specific to the most.
    public enum AgeRuleOrigin: String, Sendable, CaseIterable {
        /// The policy, of the type or the type of the object that is in the field.
        case schemaType = "schema_type"
        /// The policy, of the field, or of one nested in it.
        case schemaField = "schema_field"
        /// The read's `max_ages`, of a type.
        case operationType = "operation_type"
        /// The read's `max_ages`, of a field.
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
        /// From 0.
        public var index: Int
        public var isStale: Bool

        package init(query: QueryKey, index: Int, isStale: Bool) {
            self.query = query
            self.index = index
            self.isStale = isStale
        }
    }

    /// nil when there is an entity.
    public var miss: EntityRead.Miss?
    /// When it was deleted, and by which sequence; nil when it was not, or nobody remembers.
    public var deletion: Field?
    /// In the order of the resource.
    public var fields: [Field]
    /// Pending ids of the layers that have a change for it, oldest first.
    public var layers: [ByteString]
    /// In the order of the queries' keys.
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
