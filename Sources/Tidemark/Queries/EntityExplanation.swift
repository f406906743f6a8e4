import TidemarkModel

/// Where the value of an entity came from, how old it is, and which lists and observers show it.
public struct EntityExplanation: Hashable, Sendable {
    /// What wrote a value.
    public enum Writer: String, Sendable, CaseIterable {
        /// An event of the log.
        case event
        /// A response to a query or a document.
        case answer
        /// A transaction of the program.
        case transaction
        /// A server's confirmation of an optimistic edit.
        case confirmation
    }

    /// The origin and age of one field.
    public struct Field: Hashable, Sendable {
        /// The name of the top-level field; a field inside an object is named by its path, with dots.
        public var name: ByteString
        /// What wrote the field.
        public var writer: Writer
        /// The sequence of the write; nil when it had none.
        public var sequence: EventSequence?
        /// The time of the write, in milliseconds since 1970.
        public var writtenAt: Int64
        /// How long ago the field was written, in milliseconds, by the cache's clock.
        public var age: Int64 = 0
        /// The age at which the field is too old, in seconds; nil when it never is.
        public var maxAge: Int?
        /// Where the rule of ``maxAge`` was set; nil when no rule applies.
        public var rule: AgeRuleOrigin?

        /// True if the field is too old for a read that tolerates no stale data.
        public var isStale: Bool { maxAge.map { age >= Int64($0) * 1_000 } ?? false }

        package init(name: ByteString, writer: Writer, sequence: EventSequence?, writtenAt: Int64) {
            self.name = name
            self.writer = writer
            self.sequence = sequence
            self.writtenAt = writtenAt
        }
    }

    /// Where an age rule was set, from the least specific place to the most.
    public enum AgeRuleOrigin: String, Sendable, CaseIterable {
        /// The policy has a rule for the type, or for the type of the object in the field.
        case schemaType = "schema_type"
        /// The policy has a rule for the field, or for a field nested in it.
        case schemaField = "schema_field"
        /// The `max_ages` of the read have a rule for the type.
        case operationType = "operation_type"
        /// The `max_ages` of the read have a rule for the field.
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

    /// A place of the entity in a list.
    public struct Place: Hashable, Sendable {
        /// The query whose list has the entity.
        public var query: QueryKey
        /// The index of the entity in the list, from 0.
        public var index: Int
        /// True if the list is stale.
        public var isStale: Bool

        package init(query: QueryKey, index: Int, isStale: Bool) {
            self.query = query
            self.index = index
            self.isStale = isStale
        }
    }

    /// Why there is no entity; nil when there is one.
    public var miss: EntityRead.Miss?
    /// When the entity was deleted, and by which sequence; nil when it was not deleted, or when its tombstone is gone.
    public var deletion: Field?
    /// The fields in the order of the resource.
    public var fields: [Field]
    /// The ids of the pending edits that change the entity, oldest first.
    public var layers: [ByteString]
    /// The lists that contain the entity, in the order of the queries' keys.
    public var queries: [Place]
    /// The number of observers of the entity itself.
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
